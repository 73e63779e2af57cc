import { expect, it } from "bun:test";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { startTalk, type Talk } from "../integration/talk.ts";
import { guideWith, startTestServer, type TestServer } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";

async function allow(talk: Talk): Promise<void> {
  const { options } = await talk.asked();
  await talk.answerWith(options.find(({ kind }) => kind === "allow_once")?.optionId ?? "");
}

async function wireOf(server: TestServer, talk: Talk): Promise<string> {
  const response = await server.fetch(`/api/trace?sessionId=${encodeURIComponent(talk.sessionId)}`);
  return response.text();
}

async function directoryOf(talk: Talk): Promise<string> {
  const { projects } = await talk.client.ask("project:list", { type: "project:list" });
  return projects.find(({ id }) => id === talk.projectId)?.path ?? "";
}

it("W-11 a command runs in a terminal of ours, its output grows in the tool call, and its end is reported", async () => {
  await using server = await startTestServer();
  const talk = await startTalk(server);
  const gate = join(server.home, "go-on");
  const seq = await talk.send(`run echo one; until [ -e '${gate}' ]; do sleep 0.02; done; echo two; exit 4`);
  await allow(talk);
  await talk.until("the first line", () => talk.tools[0]?.result === "one\n");
  expect(talk.tools[0]?.status).toBe("running");
  await writeFile(gate, "");
  await talk.untilIdle(seq);
  expect(talk.tools[0]).toMatchObject({ status: "error", result: "one\ntwo\n" });
  const wire = await wireOf(server, talk);
  for (const method of ["terminal/create", "terminal/wait_for_exit", "terminal/release"])
    expect(wire).toContain(method);
});

it("W-11 W-2 a cancel ends the command and everything it started", async () => {
  await using server = await startTestServer();
  const talk = await startTalk(server);
  const seq = await talk.send("run sleep 4321 & sleep 4322");
  await allow(talk);
  const sleeping = () => server.agentProcesses().filter(({ commandLine }) => /^sleep 432[12]/.test(commandLine));
  await waitFor(sleeping, (found) => found.length === 2, "both commands to run");
  await talk.cancel();
  const { turn } = await talk.untilIdle(seq);
  expect(turn.stopReason).toBe("cancelled");
  await waitFor(sleeping, (found) => found.length === 0, "both commands to be gone");
  expect(talk.tools[0]?.status).toBe("cancelled");
});

it("W-11 commands end with the agent that asked for them", async () => {
  await using server = await startTestServer({ agents: { fragile: { ...guideWith(), retryMs: [] } } });
  const talk = await startTalk(server, "fragile");
  await talk.send("run sleep 4323");
  await allow(talk);
  const sleeping = () => server.agentProcesses().filter(({ commandLine }) => commandLine.startsWith("sleep 4323"));
  await waitFor(sleeping, (found) => found.length === 1, "the command to run");
  await talk.client.ask("agent:status", { type: "session:reconnect", cliType: "fragile", restart: true });
  await waitFor(sleeping, (found) => found.length === 0, "the command to be gone");
});

it("W-10 an edit is written through us, inside the session's directory", async () => {
  await using server = await startTestServer();
  const talk = await startTalk(server);
  const path = join(await directoryOf(talk), "note.txt");
  await writeFile(path, "hello world\n");
  const seq = await talk.send('edit note.txt "world" "moon"');
  await allow(talk);
  await talk.untilIdle(seq);
  expect(await readFile(path, "utf8")).toBe("hello moon\n");
  expect(await wireOf(server, talk)).toContain("fs/write_text_file");
});

it("W-10 an agent that accesses outside paths is refused, and the turn continues", async () => {
  await using server = await startTestServer();
  const talk = await startTalk(server);
  await talk.say("scenario files-outside");
  const wire = await wireOf(server, talk);
  expect(wire).toContain("is outside this session's directories");
  expect(talk.state.turn.stopReason).toBe("end_turn");
});

it("W-10 W-11 what is switched off is not offered, and refused when asked for all the same", async () => {
  const agents = { plain: { ...guideWith(), fs: false, terminal: false } };
  await using server = await startTestServer({ agents });
  const talk = await startTalk(server, "plain");
  const seq = await talk.send("run echo by itself");
  await allow(talk);
  await talk.untilIdle(seq);
  expect(talk.tools[0]?.result).toContain("by itself");
  expect(await wireOf(server, talk)).not.toContain("terminal/create");
});
