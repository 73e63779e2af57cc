import { expect, test } from "bun:test";
import { join } from "node:path";
import { HeldConversation } from "../support/held-conversation.ts";
import { type TempDir, tempDir } from "../support/temp-dir.ts";
import { startTestServer, type TestServer } from "../support/test-server.ts";
import { chunk, script, scriptedAgent } from "./scripted-agent.ts";
import { startTalk, Talk } from "./talk.ts";

/** A conversation of Codex's that other programs open, too: the agent is scripted, the lock is a real one. */

const THREAD = "01a1ed55-772e-7691-ab53-92820cad3671";
const END = { end: "end_turn" };

interface Scene extends AsyncDisposable {
  readonly server: TestServer;
  readonly talk: Talk;
  readonly directory: string;
  hold(): Promise<HeldConversation>;
}

/** The session has had one turn. */
async function openScene(): Promise<Scene> {
  const home: TempDir = await tempDir();
  const { command, args = [] } = scriptedAgent({ answers: { "session/new": { sessionId: THREAD } } });
  const server = await startTestServer({
    env: { CODEX_HOME: home.path, CODEX_ACP_CMD: [command, ...args].map((word) => `'${word}'`).join(" ") },
  });
  const talk = await startTalk(server, "codex");
  await talk.say(script(chunk("The first answer."), END));
  return {
    server,
    talk,
    directory: server.dataDir,
    hold: () => HeldConversation.start(join(home.path, "thread-writer-locks", `${THREAD}.lock`)),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await home[Symbol.asyncDispose]();
    },
  };
}

const SECOND = script(chunk("The second answer."), END);

test("[CV-1] a conversation that another process holds gets no prompt, nothing is stored of the message, and the user is shown which process has it", async () => {
  await using scene = await openScene();
  const { talk } = scene;
  const { sessionId } = talk;
  {
    await using terminal = await scene.hold();
    const refusal = await talk.client.ask("error", { type: "session:send", sessionId, content: SECOND });
    expect(refusal).toMatchObject({ code: "AGENT_SESSION_BUSY" });
    expect(refusal.message).toContain(`codex (process ${terminal.pid})`);
    const { away, turn, queue } = await talk.until("the writer", (state) => state.away !== null);
    expect(away?.writer).toEqual({ program: "codex", pid: terminal.pid });
    expect([turn.state, queue.length, talk.messages.length]).toEqual(["idle", 0, 1]);
    for (const type of ["session:retry", "session:steer"] as const)
      expect(await talk.client.ask("error", { type, sessionId, content: SECOND })).toMatchObject({
        code: "AGENT_SESSION_BUSY",
      });
  }
  await talk.say(SECOND);
  expect(talk.answer).toBe("The first answer.The second answer.");
  expect(talk.state.away).toBeNull();
});

test("[CV-1] a client that opens a session that is held elsewhere is notified, and again when it is free", async () => {
  await using scene = await openScene();
  const { sessionId } = scene.talk;
  const reader = await scene.server.connect();
  {
    await using terminal = await scene.hold();
    const opened = await reader.ask("session:history", { type: "session:open", sessionId });
    expect(opened.away?.writer).toEqual({ program: "codex", pid: terminal.pid });
    const { seq } = reader.sessions.state(sessionId);
    await reader.ask("ok", { type: "session:seen", sessionId, seq, showing: true });
  }
  await reader.untilState(sessionId, "a free conversation", ({ away }) => away === null);
});

test("[CV-1] a message that waits for the end of the other program survives a killed server and is sent once", async () => {
  await using scene = await openScene();
  const { sessionId, projectId } = scene.talk;
  const send = { type: "session:send", sessionId, content: SECOND, whenFree: true, commandId: "waits-1" } as const;
  {
    await using _terminal = await scene.hold();
    await scene.talk.client.ask("ok", send);
    await scene.talk.until("the wait", ({ away, queue }) => away?.waits === true && queue.length === 1);
    await scene.server.kill();
    await scene.server.start();
  }
  const client = await scene.server.connect();
  await client.ask("session:history", { type: "session:open", sessionId });
  const talk = new Talk(client, projectId, sessionId);
  await talk.untilTurnsEnded(2);
  expect(talk.answer).toBe("The first answer.The second answer.");
  expect(talk.state.queue).toEqual([]);
  expect(talk.state.away).toBeNull();
});

test("[CV-1] a wait can be ended: the message stays in the queue and is not sent", async () => {
  await using scene = await openScene();
  const { talk } = scene;
  const { sessionId } = talk;
  {
    await using _terminal = await scene.hold();
    await talk.client.ask("ok", { type: "session:send", sessionId, content: SECOND, whenFree: true });
    await talk.client.ask("ok", { type: "session:elsewhere", sessionId, wait: false });
    await talk.until("no wait", ({ away }) => away?.waits === undefined);
  }
  await talk.client.ask("ok", { type: "session:seen", sessionId, seq: talk.state.seq, showing: true });
  await talk.until("a free conversation", ({ away }) => away === null);
  expect(talk.state.queue.map(({ content }) => content)).toEqual([SECOND]);
  expect(talk.state.queuePaused).toBe(true);
  const nobody = { type: "session:elsewhere", sessionId, follow: true } as const;
  expect(await talk.client.ask("error", nobody)).toMatchObject({ code: "REQUEST_NOT_PENDING" });
});

test("[X-25] [CV-7] a session that is handed back shows the command that continues it, until the next message", async () => {
  await using scene = await openScene();
  const { talk } = scene;
  const { sessionId } = talk;
  const { command } = await talk.client.ask("session:handed-back", { type: "session:handback", sessionId });
  expect(command).toMatch(new RegExp(`^cd \\S+ && codex resume ${THREAD}$`));
  const { away } = await talk.until("the hand-back", (state) => state.away !== null);
  expect(away).toMatchObject({ command });
  await talk.say(SECOND);
  expect(talk.state.away).toBeNull();
  expect(talk.answer).toBe("The first answer.The second answer.");
});

test("[CV-7] a running turn is stopped for a hand-back only when the user agrees", async () => {
  await using scene = await openScene();
  const { talk } = scene;
  const { sessionId } = talk;
  await talk.send(script(chunk("Begun.")));
  await talk.until("words", () => talk.answer.includes("Begun."));
  const back = { type: "session:handback", sessionId } as const;
  expect(await talk.client.ask("error", back)).toMatchObject({ code: "AGENT_SESSION_BUSY" });
  expect(talk.state.turn.state).toBe("running");
  await talk.client.ask("session:handed-back", { ...back, stopTurn: true });
  expect((await talk.untilIdle()).turn.stopReason).toBe("cancelled");
});

test("[CV-7] an agent without a command for terminals refuses a hand-back and stays as it is", async () => {
  await using server = await startTestServer();
  const talk = await startTalk(server, "builtin");
  await talk.say("stream 1 words");
  const { sessionId } = talk;
  const refusal = await talk.client.ask("error", { type: "session:handback", sessionId });
  expect(refusal.message).toContain("cannot continue this conversation in a terminal");
  expect(talk.state.away).toBeNull();
});
