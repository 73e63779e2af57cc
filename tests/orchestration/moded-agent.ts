import { writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import type { AgentSetting } from "../support/test-server.ts";

/** The modes in which it asks before it writes. */
const ASKING = ["ask", "default", "read-only"];

/** An agent that starts in the first of these modes, and writes a file for `write <file>`: unasked, unless its mode asks. */
export function modedAgent(...modes: string[]): AgentSetting {
  return { name: "Moded", command: process.execPath, args: [import.meta.path, ...modes] };
}

if (import.meta.main) {
  const write = (message: object) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const modes = process.argv.slice(2);
  const chosen = new Map<string, string>();
  const asked = new Map<string, { id: number; file: string }>();
  let made = 0;
  for await (const line of createInterface({ input: process.stdin })) {
    const { id, method, params, result } = JSON.parse(line);
    if (method === "initialize") write({ id, result: { protocolVersion: 1, agentCapabilities: {} } });
    else if (method === "session/new") {
      made += 1;
      const sessionId = `moded-${made}`;
      chosen.set(sessionId, modes[0] ?? "");
      const availableModes = modes.map((mode) => ({ id: mode, name: mode }));
      const state = modes.length > 0 ? { modes: { currentModeId: modes[0], availableModes } } : {};
      write({ id, result: { sessionId, ...state } });
    } else if (method === "session/set_mode") {
      chosen.set(params.sessionId, params.modeId);
      write({ id, result: {} });
    } else if (method === "session/prompt") {
      const file = params.prompt[0].text.slice("write ".length);
      if (ASKING.includes(chosen.get(params.sessionId) ?? "")) {
        const toolCall = { toolCallId: "w", title: "Write", kind: "edit", rawInput: { file_path: file } };
        const options = [
          { optionId: "yes", name: "Yes", kind: "allow_once" },
          { optionId: "no", name: "No", kind: "reject_once" },
        ];
        asked.set(`ask-${id}`, { id, file });
        const request = { sessionId: params.sessionId, toolCall, options };
        write({ id: `ask-${id}`, method: "session/request_permission", params: request });
      } else {
        writeFileSync(file, "written");
        write({ id, result: { stopReason: "end_turn" } });
      }
    } else if (asked.has(id)) {
      const question = asked.get(id);
      if (question && result?.outcome?.optionId === "yes") writeFileSync(question.file, "written");
      write({ id: question?.id, result: { stopReason: "end_turn" } });
    }
  }
}
