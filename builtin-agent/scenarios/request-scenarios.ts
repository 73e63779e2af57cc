import { resolve } from "node:path";
import { permissionOptions } from "../turn/ask-permission.ts";
import { ToolCall } from "../turn/tool-call.ts";
import type { Turn } from "../turn/turn.ts";
import type { RequestId } from "../wire/connection.ts";
import { ClientRefusal } from "../wire/rpc-error.ts";
import type { Scenario } from "./scenario.ts";

/** Long enough for a client to show the question before it is withdrawn. */
const WITHDRAW_AFTER_MS = 100;
const ODD_IDS: readonly RequestId[] = ["question-1", "", "null", "0", 0, -7, 1.5, null];
const WITHDRAWN_ID = "withdrawn-question";

/** Requests of the agent to the client. */
export const requestScenarios: readonly Scenario[] = [
  {
    name: "permission-unknown-tool",
    summary: "Asks permission for a tool call that was never announced.",
    onPrompt: async (turn) => {
      const answer = await outcome(
        turn,
        "session/request_permission",
        question(turn, { title: "Unannounced", kind: "execute" }),
      );
      turn.say(`Answer: ${answer}`);
      return undefined;
    },
  },
  {
    name: "two-permissions",
    summary: "Two permission requests open at the same time.",
    onPrompt: async (turn) => {
      const asked = ["First of two", "Second of two"].map((title) => {
        const tool = new ToolCall(turn, { title, name: "two", kind: "execute", rawInput: { title } });
        const request = { ...question(turn, {}), toolCall: tool.announcement };
        return outcome(turn, "session/request_permission", request).then((answer) => {
          tool.complete();
          return answer;
        });
      });
      turn.say(`Answers: ${(await Promise.all(asked)).join(" ")}`);
      return undefined;
    },
  },
  {
    name: "withdrawn-permission",
    summary: "Asks permission, withdraws it with `$/cancel_request`, then reports the answer.",
    onPrompt: async (turn) => {
      const request = question(turn, { title: "Never mind" });
      const answer = outcome(turn, "session/request_permission", request, WITHDRAWN_ID);
      await turn.pause(WITHDRAW_AFTER_MS);
      turn.context.client.connection.notify("$/cancel_request", { requestId: WITHDRAWN_ID });
      turn.say(`Answer after withdrawal: ${await answer}`);
      return undefined;
    },
  },
  {
    name: "string-ids",
    summary: "Every request of the agent has a string id from now on.",
    quirks: { stringIds: true },
  },
  {
    name: "odd-ids",
    summary: `Permission requests one after the other with the ids ${ODD_IDS.map((id) => JSON.stringify(id)).join(" ")}.`,
    onPrompt: async (turn) => {
      for (const id of ODD_IDS) {
        const answer = await outcome(
          turn,
          "session/request_permission",
          question(turn, { title: `Id ${JSON.stringify(id)}` }),
          id,
        );
        turn.say(`${JSON.stringify(id)}: ${answer}\n`);
      }
      return undefined;
    },
  },
  {
    name: "unknown-request",
    summary: "Sends `craft/drainMidTurnQueue`, which the client must refuse with -32601.",
    onPrompt: async (turn) => {
      turn.say(`Answer: ${await outcome(turn, "craft/drainMidTurnQueue", { sessionId: turn.context.session.id })}`);
      return undefined;
    },
  },
  {
    name: "files-outside",
    summary: "Reads and writes through the client outside the session's directory and reports the results.",
    onPrompt: async (turn) => {
      const { session, world } = turn.context;
      const path = resolve(session.cwd, "..", world.newId("outside"));
      const read = await outcome(turn, "fs/read_text_file", { sessionId: session.id, path: "/etc/passwd" });
      const write = await outcome(turn, "fs/write_text_file", { sessionId: session.id, path, content: "escaped" });
      turn.say(`read: ${read}\nwrite ${path}: ${write}`);
      return undefined;
    },
  },
];

function question(turn: Turn, toolCall: object) {
  const { session, world } = turn.context;
  const options = permissionOptions("execute");
  return { sessionId: session.id, toolCall: { toolCallId: world.newId("call"), ...toolCall }, options };
}

/** The answer as text, so that a transcript shows it. */
async function outcome(turn: Turn, method: string, params: object, id?: RequestId): Promise<string> {
  const options = { signal: turn.signal, ...(id === undefined ? {} : { id }) };
  try {
    return JSON.stringify(await turn.context.client.connection.request(method, params, options));
  } catch (error) {
    if (error instanceof ClientRefusal) return `error ${error.code}`;
    throw error;
  }
}
