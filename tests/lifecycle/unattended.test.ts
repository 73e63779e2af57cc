import { expect, it } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { chunk, script, scriptedAgent } from "../integration/scripted-agent.ts";
import { reopen, startTalk, type Talk } from "../integration/talk.ts";
import { startTestServer, type TestServer, type TestServerOptions } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";

const OPTIONS = [{ optionId: "yes", name: "Yes", kind: "allow_once" }];
const CALL = { toolCallId: "call", title: "Something" };
const PERMISSION = { method: "session/request_permission", params: { toolCall: CALL, options: OPTIONS } };
const END = { end: "end_turn" };

type Steps = Parameters<typeof script>;

/** A server with an agent that goes on with its turn when it is told to, server or not. */
async function withGate(
  options: Pick<TestServerOptions, "env">,
  use: (scene: { server: TestServer; talk: Talk; gate: string; cwd: string }) => Promise<void>,
): Promise<void> {
  await using server = await startTestServer({ agents: { scripted: scriptedAgent() }, ...options });
  const talk = await startTalk(server, "scripted");
  const { projects } = await talk.client.ask("project:list", { type: "project:list" });
  const cwd = projects.find(({ id }) => id === talk.projectId)?.path ?? "";
  await use({ server, talk, gate: join(cwd, "gate"), cwd });
}

/** Sends `before`, kills the server, lets the agent say `after` with nobody there, and starts the server again. */
async function acrossKill(
  { server, talk, gate }: { server: TestServer; talk: Talk; gate: string },
  before: Steps,
  after: Steps,
  journalBytesMax = Number.POSITIVE_INFINITY,
): Promise<Talk> {
  await talk.send(script(...before, chunk("Before."), { untilFile: gate }, ...after));
  await talk.untilAnswer("Before.");
  const size = () => journalOf(server).length;
  // What is stored leaves the journal a moment after it can be seen.
  await waitFor(size, (bytes) => bytes < journalBytesMax, "the journal to be trimmed");
  await server.kill();
  let least = size();
  await writeFile(gate, "");
  await waitFor(
    size,
    (bytes) => {
      const hasGrown = bytes > least;
      least = Math.min(least, bytes);
      return hasGrown;
    },
    "the agent to say something alone",
  );
  await server.start();
  return reopen(await server.connect(), talk);
}

function journalOf(server: TestServer): string {
  const dir = join(server.dataDir, "held");
  return readdirSync(dir, { recursive: true, encoding: "utf8" })
    .filter((name) => name.includes("journal-"))
    .map((name) => readIfThere(join(dir, name)))
    .join("");
}

/** The holder drops a journal when a later note has all of it. */
function readIfThere(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return "";
    throw error;
  }
}

it("X-19 a turn that ended without a server has ended, and the message queued behind it is sent", async () => {
  await withGate({}, async (scene) => {
    await scene.talk.client.ask("session:history", { type: "session:open", sessionId: scene.talk.sessionId });
    const talk = await acrossKill(scene, [], [chunk(" After."), END]);
    await talk.untilAnswer("Before. After.");
    await talk.untilTurnsEnded(1);
    expect(talk.state.turn.stopReason).toBe("end_turn");
    await talk.say(script(chunk("Next."), END));
    expect(talk.answer).toBe("Before. After.Next.");
  });
});

it("X-19 W-10 a file that the agent asked for with no server there is read by the next one", async () => {
  await withGate({}, async (scene) => {
    const path = join(scene.cwd, "note.txt");
    await writeFile(path, "hello");
    const ask = { method: "fs/read_text_file", id: "read", params: { path } };
    const talk = await acrossKill(scene, [], [{ ask }, END]);
    await talk.untilTurnsEnded(1);
    expect(talk.answer).toBe('Before.{"content":"hello"}');
  });
});

it("X-19 a permission asked for with no server there is asked for in the page, and answered", async () => {
  await withGate({}, async (scene) => {
    const talk = await acrossKill(scene, [], [{ ask: { ...PERMISSION, id: "may-i" } }, END]);
    await talk.answerWith("yes");
    await talk.untilTurnsEnded(1);
    expect(talk.answer).toBe('Before.{"outcome":{"outcome":"selected","optionId":"yes"}}');
  });
});

it("X-19 a permission taken back with no server there is open nowhere", async () => {
  await withGate({}, async (scene) => {
    const withdraw = { send: { method: "$/cancel_request", params: { requestId: "may-i" } } };
    const ask = { send: { ...PERMISSION, id: "may-i" } };
    const talk = await acrossKill(scene, [ask], [withdraw, END]);
    await talk.untilTurnsEnded(1);
    expect(talk.state.pending).toEqual([]);
  });
});

it("X-19 the agent's output before a note is restored after it: output in pieces, and open requests", async () => {
  await withGate({ env: { LIMINAL_JOURNAL_BYTES: "2000" } }, async (scene) => {
    const printed = (data: string) => ({
      update: { sessionUpdate: "tool_call_update", toolCallId: "call", _meta: { terminal_output_delta: { data } } },
    });
    const started = { update: { sessionUpdate: "tool_call", ...CALL, kind: "execute", status: "in_progress" } };
    const filled = Array.from({ length: 20 }, () => ({ fill: 1_000 }));
    const read = { send: { method: "fs/read_text_file", id: "never", params: { path: "/nowhere" } } };
    const talk = await acrossKill(
      scene,
      [started, printed("one "), read, { send: { ...PERMISSION, id: "may-i" } }, ...filled],
      [printed("two"), { update: { sessionUpdate: "tool_call_update", toolCallId: "call", status: "completed" } }],
      15_000,
    );
    expect(journalOf(scene.server).length).toBeLessThan(15_000);
    await talk.until("the end of the call", () => talk.tools[0]?.status === "complete");
    expect(talk.tools[0]?.result).toBe("one two");
    expect(talk.state.pending).toHaveLength(1);
    expect(talk.answer).toBe(`${"x".repeat(20_000)}Before.`);
    await talk.answerWith("yes");
    await talk.cancel();
    await talk.untilTurnsEnded(1);
    expect(talk.state.turn.stopReason).toBe("cancelled");
  });
});
