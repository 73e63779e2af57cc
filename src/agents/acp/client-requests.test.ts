import { expect, test } from "bun:test";
import { realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import type { AgentEvent } from "../../ports/agents.ts";
import { ClientRequests } from "./client-requests.ts";

test("W-11 all output printed before a tool call shows its terminal is kept, whatever the agent's own limit", async () => {
  const heard: AgentEvent[] = [];
  const requests = new ClientRequests({
    roots: [realpathSync(tmpdir())],
    guarded: [],
    env: { PATH: process.env["PATH"] ?? "" },
    newId: () => "terminal-1",
    sink: (event) => void heard.push(event),
    serves: { fs: false, terminal: true },
    emptyForMissing: false,
  });
  const command = { command: "printf", args: ["from the first word to the last"], outputByteLimit: 4 };
  await requests.answer("terminal/create", command);
  await requests.answer("terminal/wait_for_exit", { terminalId: "terminal-1" });
  expect(await requests.answer("terminal/output", { terminalId: "terminal-1" })).toMatchObject({ output: "last" });
  const parts = [{ type: "terminal", terminalId: "terminal-1" }] as const;
  requests.onToolPatch({ toolCallId: "call-1", announced: true, parts });
  requests.onToolPatch({ toolCallId: "call-1", announced: true, parts });
  expect(heard).toEqual([{ type: "tool-output", toolCallId: "call-1", text: "from the first word to the last" }]);
  requests.stop();
});
