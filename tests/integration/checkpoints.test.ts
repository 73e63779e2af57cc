import { expect, test } from "bun:test";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { CHANGED_FILES_MAX } from "../../src/protocol/changes.ts";
import type { ChangesEntry } from "../../src/protocol/entry.ts";
import type { ProjectId } from "../../src/protocol/ids.ts";
import { tempDir } from "../support/temp-dir.ts";
import { startTestServer, type TestServer } from "../support/test-server.ts";
import { git, write } from "../workspace/git-scene.ts";
import { chunk, script, scriptedAgent } from "./scripted-agent.ts";
import { anotherTalk, Talk } from "./talk.ts";

const AGENTS = { scripted: scriptedAgent() };

/** A repository with one commit that a session of the scripted agent works in. */
/** In the repository, or in a directory of it. */
async function startWork(server: TestServer, below = ""): Promise<Talk & { root: string }> {
  const client = await server.connect();
  const root = await server.directory(crypto.randomUUID());
  git(root, "init", "-q", "-b", "main");
  await write(root, { "a.txt": "one\ntwo\nthree\n", "src/b.txt": "b\n" });
  git(root, "add", "-A");
  git(root, "commit", "-qm", "first");
  const { project } = await client.ask("project:added", { type: "project:add", path: join(root, below) });
  return Object.assign(await anotherTalk(client, project.id, "scripted"), { root });
}

const changesOf = (talk: Talk): ChangesEntry[] => talk.entries.filter((entry) => entry.type === "changes");

async function untilChanges(talk: Talk, count: number): Promise<ChangesEntry> {
  await talk.until(`${count} lines of changes`, () => changesOf(talk).length >= count);
  const last = changesOf(talk).at(-1);
  if (!last) throw new Error("no line of changes");
  return last;
}

const doing = (command: string) => script({ shell: command }, chunk("done"), { end: "end_turn" });

test("[WS-1] a turn whose shell changes files ends with a line that names them; one that changes none has no line", async () => {
  await using server = await startTestServer({ agents: AGENTS });
  const talk = await startWork(server);
  await talk.say(doing("echo four >> a.txt; rm src/b.txt; mkdir new; echo x > new/c.txt"));
  const { files, total, added, removed, before, after } = await untilChanges(talk, 1);
  expect(files).toEqual([
    { path: "a.txt", status: "modified", added: 1, removed: 0 },
    { path: "new/c.txt", status: "added", added: 1, removed: 0 },
    { path: "src/b.txt", status: "deleted", added: 0, removed: 1 },
  ]);
  expect({ total, added, removed }).toEqual({ total: 3, added: 2, removed: 1 });
  expect(talk.shape).toEqual(["user", "assistant", "changes"]);
  await talk.say(doing("true"));
  const { checkpoints } = await talk.client.ask("checkpoint:list", {
    type: "checkpoint:list",
    sessionId: talk.sessionId,
  });
  expect(checkpoints.map(({ phase }) => phase).slice(-3)).toEqual(["before", "after", "before"]);
  expect(checkpoints.at(-1)?.message).toBe(
    doing("echo four >> a.txt; rm src/b.txt; mkdir new; echo x > new/c.txt").slice(0, 200),
  );
  expect(checkpoints.at(-1)?.checkpointId).toBe(before);
  expect(checkpoints.some(({ checkpointId }) => checkpointId === after)).toBe(true);
  expect(changesOf(talk)).toHaveLength(1);
});

test("[WS-5] the line of a turn names an ignored file that an edit tool wrote", async () => {
  await using server = await startTestServer({ agents: AGENTS });
  const talk = await startWork(server);
  const tool = (kind: string, toolCallId: string, path: string) => ({
    update: {
      ...{ sessionUpdate: "tool_call", toolCallId, kind, title: kind, status: "completed" },
      locations: [{ path: join(talk.root, path) }],
    },
  });
  const steps = [
    { shell: "printf '.env\\nlog\\n' > .gitignore; echo KEY=1 > .env; echo x > log" },
    tool("edit", "1", ".env"),
    tool("read", "2", "log"),
  ];
  await talk.say(script(...steps, { end: "end_turn" }));
  const { files, leftOut } = await untilChanges(talk, 1);
  expect(files.map(({ path }) => path)).toEqual([".gitignore"]);
  expect(leftOut).toEqual([{ path: ".env", reason: "ignored" }]);
});

test("[WS-18] the session's row counts what is open, and nothing once all of it is kept", async () => {
  await using server = await startTestServer({ agents: AGENTS });
  const talk = await startWork(server);
  const { client, sessionId } = talk;
  await talk.say(doing("echo four >> a.txt; echo x > c.txt"));
  await talk.until("the counts", ({ changes }) => changes !== null);
  expect(talk.state.changes).toEqual({ files: 2, added: 2, removed: 0 });
  const scope = { kind: "unreviewed" } as const;
  const { version } = await client.ask("changes:state", { type: "changes:open", sessionId, scope });
  await client.ask("changes:state", { type: "changes:decide", sessionId, scope, decision: "keep", expect: version });
  await talk.until("no counts", ({ changes }) => changes === null);
  expect(talk.state.agentNotes).toEqual([]);
});

test("[WS-15] the agent is notified once of the files in which the user discarded changes, and which came back, by their paths from where it works", async () => {
  await using server = await startTestServer({ agents: AGENTS });
  const talk = await startWork(server, "src");
  const { client, sessionId } = talk;
  await talk.say(doing("echo four >> ../a.txt; echo five >> b.txt"));
  await untilChanges(talk, 1);
  const scope = { kind: "unreviewed" } as const;
  const { version } = await client.ask("changes:state", { type: "changes:open", sessionId, scope });
  const discard = { type: "changes:decide", sessionId, scope, decision: "discard", expect: version } as const;
  const { decisions } = await client.ask("changes:state", discard);
  await client.ask("ok", { type: "changes:undo", sessionId, undoId: decisions[0]?.undoId ?? "" });
  await talk.until("both notes", ({ agentNotes }) => agentNotes.length === 2);
  await talk.say(script({ echoPrompt: true }, { end: "end_turn" }));
  expect(talk.answer).toMatch(
    /discarded changes in these files.*- \.\.\/a\.txt.*- b\.txt.*brought changes in these files back.*- \.\.\/a\.txt.*- b\.txt/,
  );
  expect(talk.state.agentNotes).toEqual([]);
});

test("[WS-1] the line of a turn is before the message of the next one that was already waiting", async () => {
  await using server = await startTestServer({ agents: AGENTS });
  const talk = await startWork(server);
  const gate = join(server.home, "gate");
  await talk.send(script({ shell: "echo 1 > one.txt" }, { untilFile: gate }, { end: "end_turn" }));
  await talk.until("the turn", ({ turn }) => turn.state === "running");
  await talk.send(doing("echo 2 > two.txt"));
  await writeFile(gate, "");
  await untilChanges(talk, 2);
  expect(talk.shape.filter((type) => type !== "assistant")).toEqual(["user", "changes", "user", "changes"]);
  expect(changesOf(talk).map(({ files }) => files.map(({ path }) => path))).toEqual([["one.txt"], ["two.txt"]]);
});

test("X-9 [WS-12] [WS-15] a restore undoes the turn's changes, leaves what the user changed since, and notifies the agent", async () => {
  await using server = await startTestServer({ agents: AGENTS });
  const talk = await startWork(server);
  const { client, sessionId, root } = talk;
  await talk.say(doing("echo four >> a.txt; echo five >> src/b.txt; echo x > c.txt"));
  const { before } = await untilChanges(talk, 1);
  await writeFile(join(root, "src/b.txt"), "mine\n");
  const preview = await client.ask("checkpoint:preview", {
    type: "checkpoint:preview",
    sessionId,
    checkpointId: before,
  });
  expect(preview.own.map(({ path, effect }) => [path, effect])).toEqual([
    ["a.txt", "changed"],
    ["c.txt", "deleted"],
  ]);
  expect(preview.changedSince.map(({ path }) => path)).toEqual(["src/b.txt"]);
  const restore = { type: "checkpoint:restore", sessionId, checkpointId: before, expect: preview.version } as const;
  const restored = await client.ask("checkpoint:restored", { ...restore, commandId: "restore-once" });
  expect(restored.files).toBe(2);
  expect(await client.ask("checkpoint:restored", { ...restore, commandId: "restore-once" })).toMatchObject({
    files: 2,
  });
  expect(await readFile(join(root, "a.txt"), "utf8")).toBe("one\ntwo\nthree\n");
  expect(await readFile(join(root, "src/b.txt"), "utf8")).toBe("mine\n");
  expect((await readdir(root)).sort()).toEqual([".git", "a.txt", "src"]);
  await talk.until("the notice", () => talk.entries.at(-1)?.type === "notice");
  expect(talk.entries.at(-1)).toMatchObject({ restore: { to: before, files: 2 } });
  await talk.say(script({ echoPrompt: true }, { end: "end_turn" }));
  expect(talk.answer).toContain("The user restored these files");
  expect(talk.answer).toContain("- c.txt");
  await talk.say(script(chunk("\nsecond: "), { echoPrompt: true }, { end: "end_turn" }));
  expect(talk.answer.split("second: ")[1]).not.toContain("restored");
  const { undoId } = restored;
  await client.ask("ok", { type: "changes:undo", sessionId, undoId });
  expect(await readFile(join(root, "c.txt"), "utf8")).toBe("x\n");
  // Later readers of the session see by this notice that the undo was used.
  await talk.until("the notice of the undo", () => talk.entries.at(-1)?.type === "notice");
  expect(talk.entries.at(-1)).toMatchObject({ undone: undoId });
});

test("[WS-14] work continues in a new session from a checkpoint: its agent has the conversation before it, and files are restored", async () => {
  await using server = await startTestServer({ agents: AGENTS });
  const talk = await startWork(server);
  const { client, sessionId, root, projectId } = talk;
  await talk.say(script({ shell: "echo four >> a.txt" }, chunk("the first answer"), { end: "end_turn" }));
  await untilChanges(talk, 1);
  await talk.say(script({ shell: "echo five >> a.txt" }, chunk("the second answer"), { end: "end_turn" }));
  const { before } = await untilChanges(talk, 2);
  const preview = await client.ask("checkpoint:preview", {
    type: "checkpoint:preview",
    sessionId,
    checkpointId: before,
  });
  const restore = { type: "checkpoint:restore", sessionId, checkpointId: before, expect: preview.version } as const;
  const { newSessionId } = await client.ask("checkpoint:restored", { ...restore, newSession: true });
  if (newSessionId === undefined) throw new Error("no new session");
  expect(await readFile(join(root, "a.txt"), "utf8")).toBe("one\ntwo\nthree\nfour\n");
  await client.ask("session:history", { type: "session:open", sessionId: newSessionId });
  const next = new Talk(client, projectId, newSessionId);
  await next.say(script({ echoPrompt: true }, { end: "end_turn" }));
  expect(next.answer).toContain("the first answer");
  expect(next.answer).toContain("The user restored these files");
  expect(next.answer).not.toContain("the second answer");
  expect(talk.messages).toHaveLength(2);
});

test("[WS-14] when the conversation cannot go on elsewhere, no file is touched; when files cannot go back, no session is left", async () => {
  await using server = await startTestServer({ agents: AGENTS });
  const talk = await startWork(server);
  const { client, sessionId, root, projectId } = talk;
  await talk.say(doing("echo four >> a.txt"));
  const { before } = await untilChanges(talk, 1);
  const preview = await client.ask("checkpoint:preview", {
    type: "checkpoint:preview",
    sessionId,
    checkpointId: before,
  });
  const restore = {
    type: "checkpoint:restore",
    sessionId,
    checkpointId: before,
    expect: preview.version,
    newSession: true,
  } as const;
  expect(await client.ask("error", { ...restore, paths: ["none"] })).toMatchObject({ code: "WORKDIR_CHANGED" });
  const { sessions } = await client.ask("session:list", { type: "session:list", projectId, includeArchived: true });
  expect(sessions.map(({ id }) => id)).toEqual([sessionId]);
  await client.ask("project:removed", { type: "project:remove", projectId });
  expect(await client.ask("error", restore)).toMatchObject({ code: "PROJECT_NOT_FOUND" });
  expect(await readFile(join(root, "a.txt"), "utf8")).toBe("one\ntwo\nthree\nfour\n");
});

test("[WS-13] while a turn runs in the directory a restore is refused, or stops it first when asked", async () => {
  await using server = await startTestServer({ agents: AGENTS });
  const talk = await startWork(server);
  const { client, sessionId, root } = talk;
  await talk.say(doing("echo four >> a.txt"));
  const { before } = await untilChanges(talk, 1);
  const other = await anotherTalk(client, talk.projectId as ProjectId, "scripted");
  await other.send(script(chunk("busy")));
  await other.untilAnswer("busy");
  const preview = await client.ask("checkpoint:preview", {
    type: "checkpoint:preview",
    sessionId,
    checkpointId: before,
  });
  const restore = { type: "checkpoint:restore", sessionId, checkpointId: before, expect: preview.version } as const;
  expect(await client.ask("error", restore)).toMatchObject({ code: "WORKDIR_BUSY" });
  expect(await readFile(join(root, "a.txt"), "utf8")).toContain("four");
  await client.ask("checkpoint:restored", { ...restore, stopTurn: true });
  expect(await readFile(join(root, "a.txt"), "utf8")).toBe("one\ntwo\nthree\n");
  expect(other.state.turn).toMatchObject({ state: "idle", stopReason: "cancelled" });
});

/** A session that changed two places and one new file, and whose next turn runs until the test ends it. */
async function startBusy(server: TestServer) {
  const talk = await startWork(server);
  const { client, sessionId, root } = talk;
  const lines = Array.from({ length: 40 }, (_, at) => `line ${at + 1}`);
  await write(root, { "long.txt": `${lines.join("\n")}\n` });
  git(root, "add", "-A");
  git(root, "commit", "-qm", "long");
  await talk.say(doing("sed -i 's/^line 5$/FIVE/; s/^line 30$/THIRTY/' long.txt; echo new > new.txt"));
  await untilChanges(talk, 1);
  const wait = join(root, ".git", "go-on");
  const busyWith = async (command: string) => {
    await talk.send(script(chunk("busy"), { untilFile: wait }, { shell: command }, { end: "end_turn" }));
    await talk.untilAnswer("busy");
  };
  const goOn = () => writeFile(wait, "");
  const scope = { kind: "unreviewed" } as const;
  const look = () => client.ask("changes:state", { type: "changes:open", sessionId, scope });
  const firstHunk = async () => {
    const { patch, version } = await client.ask("changes:patch", {
      type: "changes:patch",
      sessionId,
      scope,
      path: "long.txt",
    });
    const [hunk] = patch.kind === "text" ? patch.hunks : [];
    return { items: [{ path: "long.txt", hunkIds: [hunk?.hunkId ?? ""] }], expect: version };
  };
  const discard = { type: "changes:decide", sessionId, scope, decision: "discard", wait: true } as const;
  const text = (path: string) => readFile(join(root, path), "utf8");
  return { talk, client, sessionId, root, busyWith, goOn, look, firstHunk, discard, text };
}

test("[WS-13] a discard waits for the end of the turn, also of places beside which the agent continues, and can be undone", async () => {
  await using server = await startTestServer({ agents: AGENTS });
  const { talk, client, sessionId, busyWith, goOn, look, firstHunk, discard, text } = await startBusy(server);
  await busyWith("sed -i 's/^line 40$/FORTY/' long.txt");
  const chosen = await firstHunk();
  expect(await client.ask("error", { ...discard, wait: false, ...chosen })).toMatchObject({ code: "WORKDIR_BUSY" });
  const waiting = await client.ask("changes:state", { ...discard, ...chosen });
  expect(waiting.waiting).toMatchObject([{ path: "long.txt", files: 1, items: chosen.items }]);
  const other = await client.ask("changes:state", {
    ...discard,
    items: [{ path: "new.txt" }],
    expect: waiting.version,
  });
  expect(other.waiting).toHaveLength(2);
  expect(await text("long.txt")).toContain("FIVE");
  // Later readers are shown it, too.
  const second = await server.connect();
  const seen = await second.ask("changes:state", { type: "changes:open", sessionId, scope: { kind: "base" } });
  expect(seen.waiting).toEqual(other.waiting);
  await second.ask("ok", { type: "changes:cancel", sessionId, waitId: other.waiting[1]?.waitId ?? "" });
  expect((await look()).waiting).toHaveLength(1);
  await goOn();
  await untilChanges(talk, 2);
  const now = await text("long.txt");
  const after = await look();
  expect(after.waiting).toEqual([]);
  expect(["line 5", "THIRTY", "FORTY"].every((line) => now.includes(`${line}\n`))).toBe(true);
  expect(now).not.toContain("FIVE");
  expect(await text("new.txt")).toBe("new\n");
  const [done] = after.decisions;
  expect(done).toMatchObject({ kind: "discard", path: "long.txt" });
  await talk.say(script({ echoPrompt: true }, { end: "end_turn" }));
  expect(talk.answer).toContain("The user discarded changes in these files");
  await client.ask("ok", { type: "changes:undo", sessionId, undoId: done?.undoId ?? "" });
  expect(await text("long.txt")).toContain("FIVE");
});

test("[WS-13] when the agent changes the same place meanwhile, nothing is discarded, and the user is notified", async () => {
  await using server = await startTestServer({ agents: AGENTS });
  const { talk, client, sessionId, busyWith, goOn, look, firstHunk, discard, text } = await startBusy(server);
  await busyWith("sed -i 's/^FIVE$/FIVE AGAIN/' long.txt");
  await client.ask("changes:state", { ...discard, ...(await firstHunk()) });
  await goOn();
  await untilChanges(talk, 2);
  await talk.until("the notice", () => talk.entries.some((entry) => entry.type === "notice"));
  const notice = talk.entries.find((entry) => entry.type === "notice");
  expect(notice).toMatchObject({
    severity: "warning",
    content: expect.stringContaining("long.txt changed in the same place"),
  });
  expect(await text("long.txt")).toContain("FIVE AGAIN");
  const [failed] = (await look()).waiting;
  expect(failed?.problem).toContain("Nothing was touched");
  await client.ask("ok", { type: "changes:cancel", sessionId, waitId: failed?.waitId ?? "" });
  expect((await look()).waiting).toEqual([]);
});

test("[WS-13] [WS-19] a discard that waits survives a server that is killed, and is carried out when the turn is over", async () => {
  await using server = await startTestServer({ agents: AGENTS });
  const { sessionId, busyWith, firstHunk, discard, client, text, goOn, talk } = await startBusy(server);
  await busyWith("echo more >> new.txt");
  await client.ask("changes:state", { ...discard, ...(await firstHunk()) });
  await server.kill();
  await server.start();
  const later = await server.connect();
  const still = await later.ask("changes:state", { type: "changes:open", sessionId, scope: { kind: "base" } });
  expect(still.waiting).toMatchObject([{ path: "long.txt" }]);
  expect(await text("long.txt")).toContain("FIVE");
  await goOn();
  const again = await talk.joinedBy(later);
  await untilChanges(again, 2);
  const state = await later.ask("changes:state", { type: "changes:open", sessionId, scope: { kind: "base" } });
  expect(state.waiting).toEqual([]);
  expect(state.decisions).toMatchObject([{ kind: "discard", path: "long.txt" }]);
  expect(await text("long.txt")).toContain("line 5\n");
  expect(await text("new.txt")).toBe("new\nmore\n");
});

test("[WS-9] what bad input gets: a code, and no file changed", async () => {
  await using server = await startTestServer({ agents: AGENTS });
  const talk = await startWork(server);
  const { client, sessionId, root } = talk;
  await talk.say(doing("echo four >> a.txt"));
  const { before } = await untilChanges(talk, 1);
  const preview = await client.ask("checkpoint:preview", {
    type: "checkpoint:preview",
    sessionId,
    checkpointId: before,
  });
  const restore = { type: "checkpoint:restore", sessionId, checkpointId: before, expect: preview.version } as const;
  const refused = async (message: object, code: string) =>
    expect(await client.ask("error", message as typeof restore)).toMatchObject({ code });
  await refused({ ...restore, checkpointId: "no-such-one" }, "CHECKPOINT_NOT_FOUND");
  await refused({ ...restore, checkpointId: "../../HEAD" }, "INVALID_MESSAGE");
  await refused({ ...restore, expect: "00000000" }, "WORKDIR_CHANGED");
  await refused({ ...restore, paths: ["no/such/file"] }, "WORKDIR_CHANGED");
  await refused({ ...restore, paths: ["../outside"] }, "WORKDIR_CHANGED");
  await refused({ ...restore, sessionId: "scripted:none" }, "SESSION_NOT_FOUND");
  await writeFile(join(root, "a.txt"), "mine\n");
  await refused({ ...restore, paths: ["a.txt"] }, "WORKDIR_CHANGED");
  expect(await readFile(join(root, "a.txt"), "utf8")).toBe("mine\n");
});

test("[WS-46] without Git everything else works, and a request for changes reports what is missing", async () => {
  await using server = await startTestServer({ agents: AGENTS, env: { PATH: "/nonexistent" } });
  const talk = await startWork(server);
  await talk.say(doing("/bin/echo four >> a.txt"));
  expect(talk.answer).toBe("done");
  const { sessionId } = talk;
  const refused = await talk.client.ask("error", { type: "changes:open", sessionId, scope: { kind: "base" } });
  expect(refused).toMatchObject({ code: "GIT_UNAVAILABLE", message: expect.stringContaining("Install Git 2.38") });
});

test("[WS-4] a prompt does not wait for a checkpoint that takes too long, and the line is marked as late", async () => {
  await using bin = await tempDir();
  const gate = bin.join("gate");
  const slow = `case " $* " in *" diff-files "*) while [ ! -e '${gate}' ]; do sleep 0.05; done;; esac`;
  await writeFile(bin.join("git"), `#!/bin/sh\n${slow}\nexec ${Bun.which("git")} "$@"\n`, { mode: 0o755 });
  const env = { PATH: `${bin.path}:${process.env["PATH"]}` };
  await using server = await startTestServer({ agents: AGENTS, env });
  const talk = await startWork(server);
  const { client, sessionId } = talk;
  const goOn = bin.join("go-on");
  await talk.send(script(chunk("asked"), { untilFile: goOn }, { shell: "echo four >> a.txt" }, { end: "end_turn" }));
  await talk.untilAnswer("asked");
  await writeFile(gate, "");
  const { checkpoints } = await client.ask("checkpoint:list", { type: "checkpoint:list", sessionId });
  expect(checkpoints).toMatchObject([{ phase: "before", late: true }]);
  await writeFile(goOn, "");
  expect(await untilChanges(talk, 1)).toMatchObject({ late: true, added: 1 });
});

test("[WS-20] [WS-23] two clients review at once: one decides, the other is notified and updated; undo and commit over the wire", async () => {
  await using server = await startTestServer({ agents: AGENTS });
  const talk = await startWork(server);
  const { client, sessionId, root } = talk;
  git(root, "config", "user.name", "The User");
  git(root, "config", "user.email", "user@example.org");
  await talk.say(doing("echo four >> a.txt; echo x > c.txt"));
  await untilChanges(talk, 1);
  const scope = { kind: "unreviewed" } as const;
  const other = await server.connect();
  const open = { type: "changes:open", sessionId, scope } as const;
  const [seen] = await Promise.all([client.ask("changes:state", open), other.ask("changes:state", open)]);
  expect(seen.files.map(({ path, review }) => `${path} ${review}`)).toEqual(["a.txt open", "c.txt open"]);
  const { patch, version } = await client.ask("changes:patch", {
    type: "changes:patch",
    sessionId,
    scope,
    path: "a.txt",
  });
  expect(version).toBe(seen.version);
  const hunkIds = patch.kind === "text" ? patch.hunks.map(({ hunkId }) => hunkId) : [];
  const decide = { type: "changes:decide", sessionId, scope, expect: seen.version } as const;
  const kept = await client.ask("changes:state", { ...decide, decision: "keep", items: [{ path: "a.txt", hunkIds }] });
  expect(kept.files.map(({ path }) => path)).toEqual(["c.txt"]);
  const items = [{ path: "a.txt", hunkIds }];
  expect(await other.ask("error", { ...decide, decision: "discard", items })).toMatchObject({
    code: "WORKDIR_CHANGED",
  });
  const discarded = await other.ask("changes:state", { ...decide, decision: "discard", expect: kept.version });
  expect(discarded.files).toEqual([]);
  expect((await readdir(root)).sort()).toEqual([".git", "a.txt", "src"]);
  await client.ask("ok", { type: "changes:undo", sessionId, undoId: discarded.decisions[0]?.undoId ?? "" });
  expect(await readFile(join(root, "c.txt"), "utf8")).toBe("x\n");
  const base = await client.ask("changes:state", { ...open, scope: { kind: "base" } });
  const committed = await client.ask("workdir:committed", {
    ...{ type: "workdir:commit", sessionId, message: "Chosen", expect: base.version },
    items: [{ path: "a.txt" }],
  });
  expect(git(root, "log", "-1", "--format=%H %s").trim()).toBe(`${committed.commit} Chosen`);
  expect(git(root, "status", "--porcelain").trim()).toBe("?? c.txt");
});

test("[WS-23] a commit of everything takes more files than the view lists, and only what was shown", async () => {
  const files = CHANGED_FILES_MAX + 500;
  await using server = await startTestServer({ agents: AGENTS });
  const talk = await startWork(server);
  const { client, sessionId, root } = talk;
  git(root, "config", "user.name", "The User");
  git(root, "config", "user.email", "user@example.org");
  await write(root, Object.fromEntries(Array.from({ length: files }, (_, at) => [`many/${at}.txt`, `${at}\n`])));
  const open = { type: "changes:open", sessionId, scope: { kind: "base" } } as const;
  const seen = await client.ask("changes:state", open);
  expect([seen.files.length, seen.total]).toEqual([CHANGED_FILES_MAX, files]);
  const commit = { type: "workdir:commit", sessionId, message: "Many" } as const;
  await write(root, { "late.txt": "not shown\n" });
  expect(await client.ask("error", { ...commit, expect: seen.version })).toMatchObject({ code: "WORKDIR_CHANGED" });
  const { version } = await client.ask("changes:state", open);
  await client.ask("workdir:committed", { ...commit, expect: version });
  expect(git(root, "status", "--porcelain").trim()).toBe("");
  expect(git(root, "show", "--name-only", "--format=%s", "HEAD").trim().split("\n")).toHaveLength(files + 3);
});
