import type { StopReason } from "@agentclientprotocol/sdk";
import type { Turn } from "../turn/turn.ts";
import { END_TURN, type Scenario, sendRaw } from "./scenario.ts";

const LONG_PIECES = 32;
const LONG_LINES_PER_PIECE = 1_000;

/** Cases that a stored transcript must support: unusual ends, work of other agents, endless output. */
export const recordScenarios: readonly Scenario[] = [
  endingWith("refusal", "refusal", "Some text, then the turn ends as `refusal`."),
  endingWith("token-limit", "max_tokens", "Some text, then the turn ends as `max_tokens`."),
  endingWith("request-limit", "max_turn_requests", "Some text, then the turn ends as `max_turn_requests`."),
  {
    name: "sub-agents",
    summary: "Two sub-agents that work for two tool calls at the same time, with a sub-agent of their own.",
    onPrompt: (turn) => {
      playSubAgents(turn);
      return { result: END_TURN };
    },
  },
  {
    name: "long-output",
    summary: "A tool call whose output grows to some 3 MB, sent whole with each of 32 updates.",
    onPrompt: async (turn) => {
      await playLongOutput(turn);
      return { result: END_TURN };
    },
  },
  {
    name: "completed-after-cancel",
    summary:
      "A tool call that runs until the cancel; after the prompt's answer it is reported as completed, with output.",
    onPrompt: async (turn) => {
      const toolCallId = turn.context.world.newId("call");
      const call = { toolCallId, title: "Slow work", kind: "execute", status: "in_progress" };
      sendRaw(turn, { sessionUpdate: "tool_call", ...call });
      try {
        await turn.pause();
      } finally {
        const content = [{ type: "content", content: { type: "text", text: "done after all" } }];
        setImmediate(() =>
          sendRaw(turn, { sessionUpdate: "tool_call_update", toolCallId, status: "completed", content }),
        );
      }
      return undefined;
    },
  },
];

function endingWith(name: string, stopReason: StopReason, summary: string): Scenario {
  return {
    name,
    summary,
    onPrompt: (turn) => {
      turn.say("So far, so good.");
      return { result: { stopReason } };
    },
  };
}

function playSubAgents(turn: Turn): void {
  const task = (title: string, parent?: string) => {
    const toolCallId = turn.context.world.newId("call");
    const announced = { sessionUpdate: "tool_call", toolCallId, title, kind: "think", status: "in_progress" };
    sendRaw(turn, { ...announced, ...of(parent) });
    return toolCallId;
  };
  const said = (text: string, parent: string) =>
    sendRaw(turn, { sessionUpdate: "agent_message_chunk", content: { type: "text", text }, ...of(parent) });
  const done = (toolCallId: string, parent?: string) =>
    sendRaw(turn, { sessionUpdate: "tool_call_update", toolCallId, status: "completed", ...of(parent) });
  const first = task("First task");
  const second = task("Second task");
  said("first: ", first);
  said("second: looking", second);
  said("on it", first);
  const inner = task("Inner task", first);
  said("deep inside", inner);
  done(inner, first);
  done(second);
  done(first);
  turn.say("Both are done.");
}

function of(parent: string | undefined): object {
  return parent === undefined ? {} : { _meta: { claudeCode: { parentToolUseId: parent } } };
}

async function playLongOutput(turn: Turn): Promise<void> {
  const toolCallId = turn.context.world.newId("call");
  const call = { toolCallId, title: "Print without end", kind: "execute", status: "in_progress" };
  sendRaw(turn, { sessionUpdate: "tool_call", ...call });
  let text = "";
  for (let piece = 0; piece < LONG_PIECES; piece += 1) {
    const first = piece * LONG_LINES_PER_PIECE;
    const lines = Array.from({ length: LONG_LINES_PER_PIECE }, (_, line) => `line ${first + line} ${"·".repeat(80)}\n`);
    text += lines.join("");
    const content = [{ type: "content", content: { type: "text", text } }];
    sendRaw(turn, { sessionUpdate: "tool_call_update", toolCallId, content });
    await turn.settled();
  }
  sendRaw(turn, { sessionUpdate: "tool_call_update", toolCallId, status: "completed" });
  turn.say("That was long.");
}
