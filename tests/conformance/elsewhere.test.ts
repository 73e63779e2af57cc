import { expect, test } from "bun:test";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { AgentDriver } from "../builtin-agent/agent-driver.ts";
import { reopen, startTalk, type Talk } from "../integration/talk.ts";
import { guideWith, startTestServer, type TestServer } from "../support/test-server.ts";

/**
 * How the agent repeats what it remembers: before the answer to a load, after it, or on a resume. One that offers both,
 * as most do, repeats nothing on a resume, so that it has to be loaded.
 */
const WAYS = [
  ["--without", "modes"],
  ["--without", "resume"],
  ["--without", "resume", "--scenario", "late-replay"],
  ["--scenario", "replay-on-resume"],
];

interface Scene extends AsyncDisposable {
  readonly server: TestServer;
  readonly talk: Talk;
  /** The agent's own file of the session. */
  readonly file: string;
  /** The user continues the conversation in a program of the agent's own. */
  elsewhere(...prompts: string[]): Promise<void>;
}

/** A conversation of two turns, on a server that has been stopped since. */
async function stoppedTalk(flags: readonly string[]): Promise<Scene> {
  const guide = { ...guideWith(...flags), env: { LIMINAL_GUIDE_DIR: "" } };
  const server = await startTestServer({ agents: { guide } });
  const talk = await startTalk(server, "guide");
  await talk.say("stream 3 words");
  await talk.say("think");
  await server.stop();
  const directory = join(server.home, ".liminal-builder/guide");
  const [name = ""] = readdirSync(directory);
  return {
    server,
    talk,
    file: join(directory, name),
    async elsewhere(...prompts) {
      await using agent = new AgentDriver({ directory: server.home, env: { LIMINAL_GUIDE_DIR: directory } });
      await agent.initialize();
      const sessionId = name.replace(/\.jsonl$/, "");
      await agent.request("session/load", { sessionId, cwd: agent.cwd, mcpServers: [] });
      for (const prompt of prompts) await agent.prompt(sessionId, prompt);
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

async function startedAgain({ server, talk }: Scene): Promise<Talk> {
  await server.start();
  return reopen(await server.connect(), talk);
}

test.each(WAYS)(
  "W-4 quirk: what the user said to the agent elsewhere is taken over once, before the next message (%s %s)",
  async (...flags) => {
    await using scene = await stoppedTalk(flags);
    await scene.elsewhere("stream 2 words", "think");
    const talk = await startedAgain(scene);
    const before = talk.entries;
    await talk.say("stream 1 words");
    expect(talk.entries.slice(0, before.length)).toEqual(before);
    expect(talk.messages).toEqual(["stream 3 words", "think", "stream 2 words", "think", "stream 1 words"]);
    expect(talk.shape).not.toContain("notice");
    expect(talk.entries.slice(before.length).map(({ type, content }) => [type, content.trim()])).toMatchObject([
      ["user", "stream 2 words"],
      ["assistant", "w1 w2"],
      ["user", "think"],
      ["thinking", expect.anything()],
      ["assistant", expect.anything()],
      ["user", "stream 1 words"],
      ["assistant", "w1"],
    ]);
    await scene.server.stop();
    const again = await startedAgain(scene);
    expect(again.entries).toEqual(talk.entries);
    await again.say("stream 1 words");
    expect(again.entries.slice(0, talk.entries.length)).toEqual(talk.entries);
    expect(again.shape.slice(talk.entries.length)).toEqual(["user", "assistant"]);
  },
);

test("W-4 quirk: leaky-replay: a replay full of an agent's own bookkeeping, most of it after the answer, shows nothing and adds nothing", async () => {
  await using scene = await stoppedTalk(["--without", "resume", "--scenario", "leaky-replay"]);
  await scene.elsewhere("plan", "stream 2 words");
  const talk = await startedAgain(scene);
  const before = talk.entries;
  await talk.say("stream 1 words");
  expect(talk.entries.slice(0, before.length)).toEqual(before);
  expect(talk.shape).not.toContain("notice");
  expect(talk.messages.slice(2)).toEqual(["plan", "stream 2 words", "stream 1 words"]);
  expect(JSON.stringify(talk.entries)).not.toMatch(/Function|session_context|Thought: true/);
  await scene.server.stop();
  const again = await startedAgain(scene);
  await again.say("stream 1 words");
  expect(again.shape.slice(talk.entries.length)).toEqual(["user", "assistant"]);
});

test("W-4 quirk: an agent that remembers less than was said changes nothing here, and one notice says so", async () => {
  await using scene = await stoppedTalk(["--without", "resume"]);
  const lines = readFileSync(scene.file, "utf8").split("\n");
  const second = lines.findLastIndex((line) => line.includes('"type":"user"'));
  writeFileSync(scene.file, `${lines.slice(0, second).join("\n")}\n`);
  const talk = await startedAgain(scene);
  const before = talk.entries;
  await talk.say("stream 1 words");
  expect(talk.entries.slice(0, before.length)).toEqual(before);
  expect(talk.shape.slice(before.length)).toEqual(["user", "notice", "assistant"]);
  expect(talk.entries.at(-2)?.content).toContain("lacks 1 of your messages");
  await scene.server.stop();
  const again = await startedAgain(scene);
  await again.say("stream 1 words");
  expect(again.shape.slice(talk.entries.length)).toEqual(["user", "assistant"]);
});

test("W-4 quirk: an agent that remembers other words than were said changes nothing here, and a notice says so", async () => {
  await using scene = await stoppedTalk(["--without", "resume"]);
  writeFileSync(scene.file, readFileSync(scene.file, "utf8").replaceAll("w3", "w4"));
  const talk = await startedAgain(scene);
  const before = talk.entries;
  await talk.say("stream 1 words");
  expect(talk.entries.slice(0, before.length)).toEqual(before);
  expect(talk.shape.slice(before.length)).toEqual(["user", "notice", "assistant"]);
  expect(talk.entries.at(-2)?.content).toContain("differs");
});
