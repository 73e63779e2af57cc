import { END_TURN, type Scenario, sendRaw } from "./scenario.ts";

/** Tool calls as real agents wrongly send them. */
export const toolCallScenarios: readonly Scenario[] = [
  {
    name: "duplicate-tool-call",
    summary: "The same `tool_call` twice, pending after in_progress, then completed.",
    onPrompt: (turn) => {
      const toolCallId = turn.context.world.newId("call");
      const call = { sessionUpdate: "tool_call", toolCallId, kind: "read" };
      sendRaw(turn, { ...call, title: "Preparing…", status: "in_progress" });
      sendRaw(turn, { ...call, title: "Read the same again", status: "pending", rawInput: { path: "x" } });
      sendRaw(turn, { sessionUpdate: "tool_call_update", toolCallId, status: "completed" });
      turn.say("One tool call, announced twice.");
      return undefined;
    },
  },
  {
    name: "unknown-tool-update",
    summary: "`tool_call_update`s for a call that was never announced.",
    onPrompt: (turn) => {
      const toolCallId = turn.context.world.newId("call");
      const update = { sessionUpdate: "tool_call_update", toolCallId };
      sendRaw(turn, { ...update, status: "in_progress" });
      const content = [{ type: "content", content: { type: "text", text: "out of nowhere" } }];
      sendRaw(turn, { ...update, status: "completed", title: "Never announced", kind: "fetch", content });
      turn.say("A tool call out of nowhere.");
      return undefined;
    },
  },
  {
    name: "open-tool",
    summary: "A tool call that stays in_progress when the turn ends.",
    onPrompt: (turn) => {
      const toolCallId = turn.context.world.newId("call");
      sendRaw(turn, {
        sessionUpdate: "tool_call",
        toolCallId,
        title: "Never done",
        kind: "execute",
        status: "in_progress",
      });
      turn.say("The tool is still running, but I am done.");
      return { result: END_TURN };
    },
  },
  {
    name: "odd-updates",
    summary: "Unknown updates and content, missing fields, `current_mode_update` with `modeId`.",
    onPrompt: (turn) => {
      for (const update of oddUpdates(turn.context.world.newId("call"))) sendRaw(turn, update);
      turn.say("Still here.");
      return undefined;
    },
  },
  {
    name: "echo-user",
    summary: "Echoes the prompt as `user_message_chunk`s before answering.",
    onPrompt: (turn) => {
      const messageId = turn.context.world.newId("msg");
      for (const content of turn.context.prompt)
        sendRaw(turn, { sessionUpdate: "user_message_chunk", messageId, content });
      turn.say("That is what you said.");
      return undefined;
    },
  },
];

function oddUpdates(toolCallId: string): object[] {
  const text = { type: "text", text: "odd " };
  return [
    { sessionUpdate: "from_the_future", payload: { deep: [1, 2, 3] } },
    { sessionUpdate: "agent_message_chunk", content: { type: "hologram", data: "…" } },
    { sessionUpdate: "agent_message_chunk" },
    { sessionUpdate: "agent_message_chunk", content: [text] },
    { sessionUpdate: "agent_message_chunk", content: text, surprise: true, _meta: null },
    { sessionUpdate: "tool_call", toolCallId, kind: "teleport", status: "levitating" },
    {
      sessionUpdate: "tool_call_update",
      toolCallId,
      content: [{ type: "text", text: "bare block" }],
      status: "completed",
    },
    { sessionUpdate: "tool_call_update", status: "completed" },
    { sessionUpdate: "plan" },
    { sessionUpdate: "plan", entries: [{ content: "no status" }, "no object"] },
    { sessionUpdate: "current_mode_update", modeId: "edits" },
    { sessionUpdate: "usage_update", used: 1.5, size: null },
    { sessionUpdate: "available_commands_update", availableCommands: null },
    { type: "agent_message_chunk", content: text },
    {},
  ];
}
