import { expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { SessionState } from "../../src/protocol/session-schema.ts";
import { startTestServer } from "../support/test-server.ts";
import { useServer } from "../support/use-server.ts";
import { countFromTo, script, scriptedAgent } from "./scripted-agent.ts";
import { reopen, startTalk, Talk } from "./talk.ts";

const shared = useServer();

/** Facts of ended turns that the server keeps; a cursor older than that gets a fresh history. */
const MANY_FACTS = 4_500;
const FACTS_AT_ONCE = 500;

function comparable({ settled, open, ...rest }: SessionState) {
  return { ...rest, entries: [...settled, ...open] };
}

test("TC-5.6b a client that leaves in the middle of a turn and comes back with `after` sees all of the output", async () => {
  await using server = await startTestServer({ agents: { scripted: scriptedAgent() } });
  const stayed = await startTalk(server, "scripted");
  const left = await reopen(await server.connect(), stayed);
  const gates = await server.directory("gate");
  const [hasLeft, goOn] = [join(gates, "has-left"), join(gates, "go-on")];
  await stayed.send(
    script(
      ...countFromTo(1, 20),
      { untilFile: hasLeft },
      ...countFromTo(21, 150),
      { untilFile: goOn },
      ...countFromTo(151, 1_500),
      { end: "end_turn" },
    ),
  );
  await left.untilAnswer("w20");
  const { states } = left.client.sessions;
  left.client[Symbol.dispose]();
  await writeFile(hasLeft, "");
  await stayed.untilAnswer("w150");

  const client = await server.connect(states);
  const back = new Talk(client, stayed.projectId, stayed.sessionId);
  const after = back.state.seq;
  const resumed = await client.ask("session:resumed", { type: "session:open", sessionId: back.sessionId, after });
  expect(resumed.seq).toBeGreaterThan(after);
  expect(resumed.turn.state).toBe("running");
  await writeFile(goOn, "");
  await Promise.all([back.untilTurnsEnded(1), stayed.untilTurnsEnded(1)]);
  expect(comparable(back.state)).toEqual(comparable(stayed.state));
  expect(back.answer).toBe(Array.from({ length: 1_500 }, (_, index) => `w${index + 1}`).join(" "));
});

test("X-2 a client that opens in the middle of a turn agrees with one that was there from the start", async () => {
  const server = shared();
  const first = await startTalk(server);
  await first.say("all");
  await first.send("stream 150 words at 500/s");
  const others: Talk[] = [];
  for (const word of ["w10", "w50", "w90"]) {
    await first.untilAnswer(word);
    others.push(await reopen(await server.connect(), first));
  }
  await first.untilTurnsEnded(2);
  for (const other of others) {
    await other.untilTurnsEnded(2);
    expect(comparable(other.state)).toEqual(comparable(first.state));
  }
});

test("session:open with `after` at the newest seq resumes with nothing missed, and goes on live", async () => {
  const server = shared();
  const talk = await startTalk(server);
  await talk.say("stream 2 words");
  const client = await server.connect(talk.client.sessions.states);
  const { sessionId, state } = talk;
  const mark = client.mark();
  const resumed = await client.ask("session:resumed", { type: "session:open", sessionId, after: state.seq });
  const { seq, turn, pending, queue, config, title } = resumed;
  expect<unknown>({ seq, turn, pending, queue, config, title }).toEqual({
    seq: state.seq,
    turn: state.turn,
    pending: [],
    queue: [],
    config: state.config,
    title: state.title,
  });
  const back = new Talk(client, talk.projectId, sessionId);
  await back.say("stream 1 words");
  await talk.untilTurnsEnded(2);
  expect(comparable(back.state)).toEqual(comparable(talk.state));
  expect(client.all("session:history", mark)).toEqual([]);
});

test("session:open with `after` 0 repeats everything; with a seq of the future it gives a history", async () => {
  const server = shared();
  const talk = await startTalk(server);
  await talk.say("think");
  const { sessionId } = talk;
  const fresh = await server.connect();
  await fresh.ask("session:resumed", { type: "session:open", sessionId, after: 0 });
  const told = await fresh.untilState(sessionId, "all of it", ({ seq }) => seq === talk.state.seq);
  expect(comparable(told)).toEqual(comparable(talk.state));
  const future = { type: "session:open", sessionId, after: talk.state.seq + 1 } as const;
  expect((await fresh.ask("session:history", future)).entries).toEqual(talk.entries);
});

test("session:open with `after` that is older than what is kept gives a history that replaces everything", async () => {
  const server = shared();
  const talk = await startTalk(server);
  const { client, sessionId } = talk;
  await talk.say("stream 2 words");
  const old = talk.client.sessions.states;
  const { seq: oldSeq } = talk.state;
  for (let made = 0; made < MANY_FACTS; made += FACTS_AT_ONCE) {
    for (let index = made; index < made + FACTS_AT_ONCE; index += 1)
      client.post({ type: "session:rename", sessionId, title: `Title ${index}` });
    await talk.until("the last rename", ({ title }) => title === `Title ${made + FACTS_AT_ONCE - 1}`);
  }
  await talk.say("stream 3 words");
  const late = await server.connect(old);
  await late.ask("session:history", { type: "session:open", sessionId, after: oldSeq });
  expect(comparable(late.sessions.state(sessionId))).toEqual(comparable(talk.state));
  const near = await server.connect(old);
  const { seq } = talk.state;
  await near.ask("session:resumed", { type: "session:open", sessionId, after: seq - 5 });
});

test("session:open with a limit gives the newest entries, and session:page the ones before, without gap or overlap", async () => {
  const server = shared();
  const talk = await startTalk(server);
  const { sessionId } = talk;
  for (let turn = 1; turn <= 12; turn += 1) await talk.say(`stream ${turn} words`);
  const all = talk.entries;
  expect(all).toHaveLength(24);
  for (const limit of [1, 2, 5, 23, 24, 25]) {
    const client = await server.connect();
    const opened = await client.ask("session:history", { type: "session:open", sessionId, limit });
    expect(opened.entries).toEqual(all.slice(-limit));
    expect(opened.hasMore).toBe(limit < all.length);
    while (client.sessions.state(sessionId).hasMore) {
      const before = client.sessions.state(sessionId).settled[0]?.entryId ?? "";
      const page = await client.ask("session:page", { type: "session:page", sessionId, before, limit });
      expect<string>(page.before).toBe(before);
      expect(page.entries.length).toBeGreaterThan(0);
      expect(page.entries.length).toBeLessThanOrEqual(limit);
    }
    expect(client.sessions.state(sessionId).settled).toEqual(all);
  }
});

test("session:page and session:open refuse what makes no sense", async () => {
  const server = shared();
  const talk = await startTalk(server);
  const { client, sessionId } = talk;
  await talk.say("stream 2 words");
  const first = talk.entries[0]?.entryId ?? "";
  const beginning = await client.ask("session:page", { type: "session:page", sessionId, before: first });
  expect({ entries: beginning.entries, hasMore: beginning.hasMore }).toEqual({ entries: [], hasMore: false });
  const page = { type: "session:page", sessionId, before: first } as const;
  const open = { type: "session:open", sessionId } as const;
  for (const limit of [0, -1, 1.5, 1_001]) {
    expect((await client.ask("error", { ...page, limit })).code).toBe("INVALID_MESSAGE");
    expect((await client.ask("error", { ...open, limit })).code).toBe("INVALID_MESSAGE");
  }
  expect((await client.ask("error", { ...page, before: "no such entry" })).code).toBe("INVALID_MESSAGE");
  expect((await client.ask("error", { ...open, after: -1 })).code).toBe("INVALID_MESSAGE");
  for (const message of [
    { ...page, sessionId: "builtin:none" },
    { ...open, sessionId: "builtin:none" },
  ]) {
    const { code, message: words } = await client.ask("error", message);
    expect({ code, words }).toEqual({ code: "SESSION_NOT_FOUND", words: "Session not found." });
  }
});

test("a client that closed a session receives nothing of it but what every client receives; opening it again follows anew", async () => {
  const server = shared();
  const talk = await startTalk(server);
  const { sessionId } = talk;
  const other = await reopen(await server.connect(), talk);
  await other.client.ask("ok", { type: "session:close", sessionId });
  const mark = other.client.mark();
  await talk.say("stream 50 words");
  await other.client.next("session:turn", ({ turn }) => turn.state === "idle", mark);
  const heard = new Set(other.client.received.slice(mark).map(({ type }) => type));
  expect([...heard].toSorted()).toEqual(["session:changed", "session:title-updated", "session:turn"]);
  const { seq } = other.state;
  await other.client.ask("session:resumed", { type: "session:open", sessionId, after: seq });
  await other.untilTurnsEnded(1);
  expect(comparable(other.state)).toEqual(comparable(talk.state));
});

test("a draft is kept, sent to the other followers, and comes with the history", async () => {
  const server = shared();
  const talk = await startTalk(server);
  const other = await reopen(await server.connect(), talk);
  const { client, sessionId } = talk;
  const mark = client.mark();
  await client.ask("ok", { type: "session:draft", sessionId, content: "half a thou" });
  const told = await other.client.next("session:draft", (message) => message.sessionId === sessionId, 0);
  expect(told).toMatchObject({ content: "half a thou" });
  // The typing client does not get its own text back: it may be older than the current text.
  expect(client.all("session:draft", mark)).toEqual([]);
  const late = await server.connect();
  expect((await late.ask("session:history", { type: "session:open", sessionId })).draft).toBe("half a thou");
  await client.ask("ok", { type: "session:draft", sessionId, content: "" });
  expect((await late.ask("session:history", { type: "session:open", sessionId })).draft).toBeUndefined();
  const { code } = await client.ask("error", { type: "session:draft", sessionId: "builtin:none", content: "x" });
  expect(code).toBe("SESSION_NOT_FOUND");
});

test("(D14) text of a session without viewers comes in few facts, in order, and at once when it is shown", async () => {
  await using server = await startTestServer();
  const talk = await startTalk(server);
  const { client, sessionId } = talk;
  const seen = (showing: boolean) =>
    client.ask("ok", { type: "session:seen", sessionId, seq: talk.state.seq, showing });
  await seen(true);
  await seen(false);
  const from = talk.state.seq;
  await talk.say("stream 100 words at 50/s");
  expect(talk.answer).toBe(Array.from({ length: 100 }, (_, index) => `w${index + 1}`).join(" "));
  // Two seconds of words, of which four commits a second are due; each word had its own before.
  expect(talk.state.seq - from).toBeLessThan(25);

  await talk.send("stream 100000 words at 50/s");
  await talk.untilAnswer("w3");
  const heldFrom = talk.state.seq;
  // Its answer comes after held messages: when it arrives, the cursor has passed it.
  await seen(true);
  const words = talk.answer.length;
  await talk.until("words as they are said", ({ seq }) => seq > heldFrom + 10);
  expect(talk.answer.length).toBeGreaterThan(words);
  await client.ask("ok", { type: "session:cancel", sessionId });
  await talk.untilTurnsEnded(2);
});
