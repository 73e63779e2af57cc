import { expect, it } from "bun:test";
import { startTalk } from "../integration/talk.ts";
import { PROGRAM, startTestServer } from "../support/test-server.ts";

it("X-17 the wire trace of a session shows both directions, and `liminal logs` prints it", async () => {
  await using server = await startTestServer();
  const talk = await startTalk(server);
  await talk.say("stream 3 words");
  const response = await server.fetch(`/api/trace?sessionId=${encodeURIComponent(talk.sessionId)}`);
  expect(response.status).toBe(200);
  const lines = (await response.text())
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(lines[0]).toMatchObject({ sessionId: talk.sessionId, cliType: "builtin" });
  const texts = (direction: string) => lines.filter((line) => line.direction === direction).map((line) => line.text);
  expect(texts("out").some((text) => text.includes('"session/prompt"') && text.includes("stream 3 words"))).toBe(true);
  expect(texts("in").some((text) => text.includes("agent_message_chunk"))).toBe(true);

  const logs = await runLogs(server.dataDir, talk.sessionId);
  expect(logs.code).toBe(0);
  expect(logs.stdout.split("\n")[0]).toBe(JSON.stringify(lines[0]));
});

it("X-17 an unknown session and a server that does not run are reported as text", async () => {
  await using server = await startTestServer();
  expect(await runLogs(server.dataDir, "builtin:nobody")).toMatchObject({ code: 1, stderr: "Session not found.\n" });
  await server.stop();
  const gone = await runLogs(server.dataDir, "builtin:nobody");
  expect(gone.code).toBe(3);
  expect(gone.stderr).toContain("No server is running");
  await server.start();
});

async function runLogs(dataDir: string, sessionId: string) {
  const child = Bun.spawn([process.execPath, PROGRAM, "logs", sessionId], {
    env: { LIMINAL_DATA_DIR: dataDir, PATH: process.env["PATH"] ?? "" },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  return { code: await child.exited, stdout, stderr };
}
