import { script } from "../integration/scripted-agent.ts";

const OPTIONS_SHOWN = 6;

/** Accompanies each payload, so that a test can detect that it was shown. */
export function markOf(index: number): string {
  return `mark-${index}.`;
}

/** A turn with payloads in every text field of an agent, which then waits for a permission. */
export function hostileTurn(payloads: readonly string[], first: number): string {
  const [title = "", ...names] = payloads;
  const options = names
    .slice(0, OPTIONS_SHOWN)
    .map((name, index) => ({ optionId: `o${index}`, name: name || "-", kind: "allow_once" }));
  const turn = script(
    ...payloads.flatMap((payload, index) => steps(payload, first + index)),
    {
      update: {
        sessionUpdate: "plan",
        entries: payloads.map((content) => ({ content, priority: "high", status: "pending" })),
      },
    },
    {
      update: {
        sessionUpdate: "available_commands_update",
        availableCommands: payloads.map((payload) => ({
          name: payload,
          description: payload,
          input: { hint: payload },
        })),
      },
    },
    {
      ask: {
        id: "may-i",
        method: "session/request_permission",
        params: { toolCall: { ...toolCall(title, "asked"), status: "pending" }, options },
      },
    },
    { end: "end_turn" },
  );
  // The agent reads lines, and these letters end one for its reader.
  return turn.replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
}

function steps(payload: string, index: number) {
  const mark = markOf(index);
  const text = (words: string) => ({ type: "text", text: words });
  const markdown = [
    payload,
    `[link](${payload}) and [link](<${payload}>)`,
    `![image](${payload})`,
    `[${payload}](https://example.com)`,
    `![${payload}](https://evil.example/pixel.png)`,
    `<${payload}>`,
    mark,
  ].join("\n\n");
  const link = { type: "resource_link", uri: payload, name: payload, title: payload, description: payload };
  return [
    { update: { sessionUpdate: "agent_thought_chunk", content: text(`${payload}\n\n${mark}`) } },
    { update: { sessionUpdate: "tool_call", status: "completed", ...toolCall(payload, `call-${index}`, mark) } },
    { update: { sessionUpdate: "agent_message_chunk", content: text(markdown) } },
    { update: { sessionUpdate: "agent_message_chunk", content: link } },
  ];
}

function toolCall(payload: string, toolCallId: string, mark = "") {
  return {
    toolCallId,
    title: payload,
    kind: "execute",
    rawInput: { command: payload, path: payload },
    locations: [{ path: payload, line: 1 }],
    content: [
      { type: "content", content: { type: "text", text: `${payload}\n${mark}` } },
      { type: "diff", path: payload, oldText: `a\n${payload}\n`, newText: `b\n${payload}\n${payload}` },
    ],
  };
}
