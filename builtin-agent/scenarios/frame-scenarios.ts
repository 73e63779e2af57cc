import { END_TURN, type Scenario, sendRaw } from "./scenario.ts";

const BURST_UPDATES = 200;
const HUGE_TEXT_BYTES = 64 * 1024 * 1024;
const HUGE_PIECE_BYTES = 64 * 1024;
const HUGE_MESSAGE_ID = "msg_huge";
const JUNK = [
  "plain words",
  "",
  "[1,2,3]",
  '["batch",{"jsonrpc":"2.0"}]',
  '"a string"',
  "42",
  "null",
  "{not json",
  "   ",
];

/** Malformed and unusual frames on stdout. */
export const frameScenarios: readonly Scenario[] = [
  {
    name: "junk-output",
    summary: "Lines that are not JSON-RPC objects (text, arrays, numbers, blanks) between updates.",
    onPrompt: (turn) => {
      const { writer } = turn.context.client.connection;
      for (const [index, junk] of JUNK.entries()) {
        writer.write(`${junk}\n`);
        turn.say(`j${index + 1} `);
      }
      return undefined;
    },
  },
  {
    name: "burst",
    summary: `${BURST_UPDATES} updates and the prompt's result in one write.`,
    onPrompt: (turn) => {
      const { connection } = turn.context.client;
      connection.writer.together(() => {
        for (let count = 1; count <= BURST_UPDATES; count += 1) turn.say(`b${count} `);
        connection.respond(turn.requestId, END_TURN);
      });
      return "answered";
    },
  },
  {
    name: "huge-line",
    summary: "One update whose text is 64 MiB of `x`, written piece by piece.",
    onPrompt: async (turn) => {
      const { client, session } = turn.context;
      turn.say("Before the huge line. ");
      await client.connection.writer.exclusively(hugeLine(session.id));
      turn.say("After the huge line.");
      return undefined;
    },
  },
  {
    name: "empty-chunks",
    summary: "Empty text chunks, some with usage in `_meta`, around the text.",
    onPrompt: (turn) => {
      turn.say("");
      turn.say("Between ");
      turn.say("");
      const content = { type: "text", text: "" };
      sendRaw(turn, { sessionUpdate: "agent_message_chunk", content, _meta: { usage: { totalTokens: 7 } } });
      sendRaw(turn, { sessionUpdate: "agent_thought_chunk", content });
      turn.say("emptiness.");
      return { result: END_TURN };
    },
  },
  {
    name: "late-updates",
    summary: "A chunk of the same message and a tool call's end after the prompt's result.",
    onPrompt: (turn) => {
      const messageId = turn.context.world.newId("msg");
      const toolCallId = turn.context.world.newId("call");
      const chunk = (text: string) => ({
        sessionUpdate: "agent_message_chunk",
        messageId,
        content: { type: "text", text },
      });
      sendRaw(turn, chunk("Said in time, "));
      sendRaw(turn, {
        sessionUpdate: "tool_call",
        toolCallId,
        title: "Slow tool",
        kind: "other",
        status: "in_progress",
      });
      return {
        result: END_TURN,
        afterwards: () => {
          sendRaw(turn, chunk("said late."));
          sendRaw(turn, { sessionUpdate: "tool_call_update", toolCallId, status: "completed" });
        },
      };
    },
  },
  {
    name: "missing-stop-reason",
    summary: "The prompt's result is `{}`.",
    onPrompt: (turn) => {
      turn.say("No reason given.");
      return { result: {} };
    },
  },
  {
    name: "never-ending-cancel",
    summary: "Ignores `session/cancel`; the next prompt or `$/cancel_request` releases the turn.",
    onPrompt: async (turn) => {
      turn.deaf = true;
      turn.say("This turn ignores cancel.");
      await turn.pause();
      return undefined;
    },
  },
];

function* hugeLine(sessionId: string): Generator<string> {
  const content = { type: "text", text: "" };
  const update = { sessionUpdate: "agent_message_chunk", messageId: HUGE_MESSAGE_ID, content };
  const params = { sessionId, update };
  const whole = JSON.stringify({ jsonrpc: "2.0", method: "session/update", params });
  const middle = whole.lastIndexOf('""') + 1;
  const piece = "x".repeat(HUGE_PIECE_BYTES);
  yield whole.slice(0, middle);
  for (let sent = 0; sent < HUGE_TEXT_BYTES; sent += HUGE_PIECE_BYTES) yield piece;
  yield `${whole.slice(middle)}\n`;
}
