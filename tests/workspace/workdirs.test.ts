import { expect, test } from "bun:test";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { TaskQueue } from "../../src/lib/task-queue.ts";
import { type ChangesScope, type ChangesState, CheckpointId } from "../../src/protocol/changes.ts";
import { RefusalError } from "../../src/protocol/errors.ts";
import { SessionId, TurnId } from "../../src/protocol/ids.ts";
import { tidyVault } from "../../src/workspace/housekeeping.ts";
import { Workdir } from "../../src/workspace/workdir.ts";
import { LocalWorkdirs } from "../../src/workspace/workdirs.ts";
import { git, gitScene, picture, write } from "./git-scene.ts";

const BASE: ChangesScope = { kind: "base" };
const UNREVIEWED: ChangesScope = { kind: "unreviewed" };
const turnOf = (turnId: string): ChangesScope => ({ kind: "turn", turnId: TurnId.parse(turnId) });
const sessionOf = (name: string) => SessionId.parse(`claude-code:${name}`);

/** Lines 1 to 30; the named ones have a word behind them. */
const text = (changed: Readonly<Record<number, string>> = {}) =>
  Array.from({ length: 30 }, (_, at) => `${at + 1}${changed[at + 1] ?? ""}\n`).join("");

async function workScene(files: Record<string, string> = { "a.txt": text(), "b.txt": "1\n" }) {
  const at = await gitScene(files);
  git(at.root, "config", "user.name", "The User");
  git(at.root, "config", "user.email", "user@example.org");
  let nowMs = Date.parse("2030-01-01T00:00:00Z");
  const world = {
    now: () => {
      nowMs += 1_000;
      return nowMs;
    },
    newId: () => crypto.randomUUID(),
  };
  const errors: unknown[] = [];
  const start = () =>
    new LocalWorkdirs({
      world,
      root: at.dir.join("vaults"),
      isOn: true,
      vaultBytesMax: Number.MAX_SAFE_INTEGER,
      editor: { command: null, env: {} },
      env: { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "" },
      onError: (error) => errors.push(error),
    });
  let workdirs = start();
  const place = (name = "one") => ({ sessionId: sessionOf(name), cwd: at.root });
  return {
    ...at,
    errors,
    place,
    get workdirs() {
      return workdirs;
    },
    restart: () => {
      workdirs = start();
    },
    /** An agent's turn that changes files. */
    turn: async (
      turnId: string,
      change: Record<string, string>,
      session = "one",
      written: readonly string[] = Object.keys(change),
    ) => {
      await workdirs.turnStarts(place(session), TurnId.parse(turnId));
      await write(at.root, change);
      return workdirs.turnEnded(place(session), TurnId.parse(turnId), written);
    },
    state: (scope: ChangesScope, session = "one") => workdirs.changes(place(session), scope),
    hunks: async (scope: ChangesScope, path: string) => {
      const { patch } = await workdirs.patch(place(), scope, { path, whole: false });
      return patch.kind === "text" ? patch.hunks : [];
    },
    [Symbol.asyncDispose]: async () => {
      await at[Symbol.asyncDispose]();
      expect(errors).toEqual([]);
    },
  };
}

const marks = ({ files }: ChangesState) => files.map(({ path, review }) => `${path} ${review}`);

async function codeOf(task: Promise<unknown>): Promise<string> {
  const error = await task.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof RefusalError)) throw new Error(`not refused: ${error}`);
  return error.refusal.code;
}

test("a look into a directory that has gone meanwhile is refused in words", async () => {
  await using at = await workScene();
  await at.turn("t1", { "a.txt": text({ 3: " changed" }) });
  expect((await at.state(UNREVIEWED)).files).toHaveLength(1);
  await rm(at.root, { recursive: true });
  const refusal = await at.state(UNREVIEWED).catch((error: unknown) => error);
  const words = expect.stringContaining("is not there any more");
  expect(refusal).toHaveProperty("refusal", expect.objectContaining({ code: "GIT_REFUSED", message: words }));
  expect(at.errors).toEqual([]);
});

test("[WS-18] [WS-20] keep, discard and undo over two turns: what the user did needs no review, a late decision is refused", async () => {
  await using at = await workScene();
  // What was there before the first turn is the user's.
  await write(at.root, { "mine.txt": "user\n" });
  await at.turn("t1", { "a.txt": text({ 5: " t1" }) });
  await write(at.root, { "b.txt": "user\n" });
  await at.turn("t2", { "a.txt": text({ 5: " t1", 20: " t2" }), "new.txt": "t2\n" });
  const open = await at.state(UNREVIEWED);
  expect(marks(open)).toEqual(["a.txt open", "new.txt open"]);
  expect(marks(await at.state(BASE))).toEqual(["a.txt open", "b.txt kept", "mine.txt kept", "new.txt open"]);
  const turn = await at.state(turnOf("t2"));
  expect(marks(turn)).toEqual(["a.txt open", "new.txt open"]);
  expect(turn).toMatchObject({
    lastTurnId: "t2",
    prefix: "",
    head: { branch: "main" },
    counts: {
      base: { files: 4, added: 5, removed: 3 },
      unreviewed: { files: 2, added: 3, removed: 2 },
      turn: { files: 2, added: 2, removed: 1 },
    },
  });
  expect(await at.workdirs.openCounts(at.place())).toEqual({ files: 2, added: 3, removed: 2 });
  expect(await at.workdirs.openCounts(at.place("other"))).toBeNull();
  const [first] = await at.hunks(BASE, "a.txt");
  const items = [{ path: "a.txt", hunkIds: [first?.hunkId ?? ""] }];
  const decision = { scope: BASE, items, expect: open.version };
  await at.workdirs.decide(at.place(), { ...decision, kind: "keep" });
  // Another client looked at the same.
  expect(await codeOf(at.workdirs.decide(at.place(), { ...decision, kind: "discard" }))).toBe("WORKDIR_CHANGED");
  expect((await at.hunks(BASE, "a.txt")).map(({ isKept }) => isKept)).toEqual([true, false]);
  const seen = await at.state(turnOf("t2"));
  await at.workdirs.decide(at.place(), { kind: "discard", scope: turnOf("t2"), items: null, expect: seen.version });
  expect(await Bun.file(join(at.root, "a.txt")).text()).toBe(text({ 5: " t1" }));
  expect(await Bun.file(join(at.root, "new.txt")).exists()).toBe(false);
  expect(marks(await at.state(turnOf("t2")))).toEqual(["a.txt moved-on", "new.txt moved-on"]);
  expect(await at.workdirs.openCounts(at.place())).toBeNull();
});

test("[WS-19] decisions and restores are undone after a restart", async () => {
  await using at = await workScene();
  const done = await at.turn("t1", { "a.txt": text({ 5: " t1" }), "new.txt": "t1\n" });
  const files = await picture(at.root);
  const { version } = await at.state(UNREVIEWED);
  await at.workdirs.decide(at.place(), {
    kind: "keep",
    scope: UNREVIEWED,
    items: [{ path: "a.txt" }],
    expect: version,
  });
  const next = await at.state(UNREVIEWED);
  await at.workdirs.decide(at.place(), { kind: "discard", scope: UNREVIEWED, items: null, expect: next.version });
  const preview = await at.workdirs.previewRestore(at.place(), done?.before ?? expect.unreachable());
  await at.workdirs.restore(at.place(), {
    checkpointId: preview.checkpoint.checkpointId,
    paths: null,
    expect: preview.version,
  });
  expect(await Bun.file(join(at.root, "a.txt")).text()).toBe(text());
  expect(marks(await at.state(UNREVIEWED))).toEqual([]);
  at.restart();
  const { decisions } = await at.state(UNREVIEWED);
  expect(decisions.map(({ kind, files: count, path }) => `${kind} ${count} ${path}`)).toEqual([
    "restore 1 a.txt",
    "discard 1 new.txt",
    "keep 1 a.txt",
  ]);
  for (const { undoId } of decisions) await at.workdirs.undo(at.place(), undoId);
  expect(await picture(at.root)).toEqual(files);
  const state = await at.state(UNREVIEWED);
  expect(marks(state)).toEqual(["a.txt open", "new.txt open"]);
  expect(state.decisions).toEqual([]);
  expect(await codeOf(at.workdirs.undo(at.place(), decisions[0]?.undoId ?? ""))).toBe("GIT_REFUSED");
});

test("[WS-23] [WS-24] a commit takes chosen places, marks them as kept, and refuses what has changed since", async () => {
  await using at = await workScene();
  await at.turn("t1", { "a.txt": text({ 5: " t1", 20: " t1" }), "new.txt": "t1\n", "b.txt": "t1\n" });
  const { version } = await at.state(BASE);
  const [first] = await at.hunks(BASE, "a.txt");
  const items = [{ path: "a.txt", hunkIds: [first?.hunkId ?? ""] }, { path: "new.txt" }];
  const { commit, output } = await at.workdirs.commit(at.place(), { items, message: "Chosen", expect: version });
  expect(output).toContain("2 files changed");
  expect(git(at.root, "rev-parse", "HEAD").trim()).toBe(commit);
  expect(git(at.root, "show", "HEAD:a.txt")).toBe(text({ 5: " t1" }));
  const after = await at.state(BASE);
  expect(marks(after)).toEqual(["a.txt open", "b.txt open"]);
  expect(marks(await at.state(UNREVIEWED))).toEqual(["a.txt open", "b.txt open"]);
  expect((await at.hunks(UNREVIEWED, "a.txt")).map(({ newLines }) => newLines)).toEqual([["20 t1"]]);
  await write(at.root, { "b.txt": "editor\n" });
  const late = at.workdirs.commit(at.place(), { items: [{ path: "b.txt" }], message: "No", expect: after.version });
  expect(await codeOf(late)).toBe("WORKDIR_CHANGED");
  // The user commits the rest by hand.
  git(at.root, "commit", "-qam", "by hand");
  expect(marks(await at.state(UNREVIEWED))).toEqual([]);
  expect(await at.workdirs.openCounts(at.place())).toBeNull();
});

test("[WS-24] viewers are notified of a commit made elsewhere, though no file changed with it and the counts have seen it", async () => {
  await using at = await workScene();
  await at.turn("t1", { "a.txt": text({ 5: " t1" }) });
  expect(marks(await at.state(UNREVIEWED))).toEqual(["a.txt open"]);
  using _watch = at.workdirs.watch(at.place());
  const told = Promise.withResolvers<SessionId>();
  using _listening = at.workdirs.onChanged(told.resolve);
  git(at.root, "commit", "-qam", "by hand");
  expect(await at.workdirs.openCounts(at.place())).toBeNull();
  expect(await told.promise).toBe(at.place().sessionId);
  expect(marks(await at.state(UNREVIEWED))).toEqual([]);
});

test("[WS-23] files of two repositories are not committed at once; those of one inside go to it", async () => {
  await using at = await workScene();
  await mkdir(join(at.root, "inner"));
  git(join(at.root, "inner"), "init", "-q", "-b", "inside");
  await write(at.root, { "inner/c.txt": "1\n" });
  for (const words of [
    ["config", "user.name", "a"],
    ["config", "user.email", "a@example.org"],
    ["add", "-A"],
    ["commit", "-qm", "1"],
  ])
    git(join(at.root, "inner"), ...words);
  await at.turn("t1", { "b.txt": "2\n", "inner/c.txt": "2\n" });
  const { version, files } = await at.state(BASE);
  expect(files.map(({ path }) => path)).toEqual(["b.txt", "inner/c.txt"]);
  const both = { items: [{ path: "b.txt" }, { path: "inner/c.txt" }], message: "No", expect: version };
  expect(await codeOf(at.workdirs.commit(at.place(), both))).toBe("GIT_REFUSED");
  await at.workdirs.commit(at.place(), { ...both, items: [{ path: "inner/c.txt" }], message: "Inside" });
  expect(git(join(at.root, "inner"), "log", "-1", "--format=%s").trim()).toBe("Inside");
  expect(marks(await at.state(BASE))).toEqual(["b.txt open"]);
});

test("a tick as viewed holds for the version that was seen, and survives a restart", async () => {
  await using at = await workScene();
  await at.turn("t1", { "a.txt": text({ 5: " t1" }) });
  await rm(join(at.root, "b.txt"));
  const { version } = await at.state(BASE);
  for (const path of ["a.txt", "b.txt"])
    await at.workdirs.setViewed(at.place(), { path, expect: version, viewed: true });
  at.restart();
  const viewed = async () => (await at.state(BASE)).files.filter((file) => file.viewed).map(({ path }) => path);
  expect(await viewed()).toEqual(["a.txt", "b.txt"]);
  await write(at.root, { "a.txt": text({ 6: " t1" }) });
  expect(await viewed()).toEqual(["b.txt"]);
});

test("what another session's agent changes meanwhile stays open when a turn starts", async () => {
  await using at = await workScene();
  await at.turn("t1", { "a.txt": text({ 5: " t1" }) });
  await at.workdirs.turnStarts(at.place("other"), TurnId.parse("o1"));
  await write(at.root, { "b.txt": "other agent\n" });
  await at.turn("t2", { "a.txt": text({ 5: " t1", 9: " t2" }) });
  await at.workdirs.turnEnded(at.place("other"), TurnId.parse("o1"), []);
  expect(marks(await at.state(UNREVIEWED))).toEqual(["a.txt open", "b.txt open"]);
});

test("[WS-19] after the vault was cleaned up, all is shown again, decisions are undone, and what was seen before is refused", async () => {
  await using at = await workScene({ "a.txt": text(), "b.crlf": text(), ".gitattributes": "*.crlf text eol=crlf\n" });
  await write(at.root, { "b.crlf": text().replaceAll("\n", "\r\n") });
  await at.turn("t1", { "a.txt": text({ 5: " t1", 9: " t1" }), "b.crlf": text({ 5: " t1" }).replaceAll("\n", "\r\n") });
  const before = await picture(at.root);
  const old = await at.state(BASE);
  expect(old.counts.base).toEqual({ files: 2, added: 3, removed: 3 });
  const [first] = await at.hunks(BASE, "a.txt");
  const items = [{ path: "a.txt", hunkIds: [first?.hunkId ?? ""] }];
  await at.workdirs.decide(at.place(), { kind: "discard", scope: BASE, items, expect: old.version });
  const seen = await at.state(BASE);
  const vault = await at.openVault();
  const workdir = await Workdir.load(
    vault,
    { now: () => Date.now(), newId: () => crypto.randomUUID() },
    new TaskQueue(),
  );
  await tidyVault(workdir, { isThorough: true, expire: "now", nowMs: Date.now() });
  expect(await at.state(BASE)).toEqual(seen);
  expect(await at.hunks(BASE, "b.crlf")).toHaveLength(1);
  const decided = at.workdirs.decide(at.place(), { kind: "discard", scope: BASE, items: null, expect: old.version });
  expect(await codeOf(decided)).toBe("WORKDIR_CHANGED");
  await at.workdirs.undo(at.place(), seen.decisions[0]?.undoId ?? "");
  expect(await picture(at.root)).toEqual(before);
});

test("a file is read as a checkpoint has it, also in a repository inside and below the session's directory", async () => {
  await using at = await workScene({ "src/a.txt": "one\n", "src/line\nend.txt": "odd\n" });
  await write(at.root, { "src/inner/x.txt": "inner one\n" });
  git(join(at.root, "src/inner"), "init", "-q");
  const turn = await at.turn("t1", { "src/a.txt": "two\n", "src/inner/x.txt": "inner two\n", "src/b.txt": "new\n" });
  const read = async (path: string, checkpoint = turn?.before ?? null, bytesMax = 100) =>
    at.workdirs.read(join(at.root, "src"), { path, at: checkpoint, from: 0, bytesMax }).then(
      ({ content }) => content,
      (error: unknown) => (error instanceof RefusalError ? error.refusal.code : String(error)),
    );
  expect(await read("a.txt")).toBe("one\n");
  expect(await read("a.txt", turn?.after)).toBe("two\n");
  expect(await read("a.txt", null)).toBe("two\n");
  expect(await read("inner/x.txt")).toBe("inner one\n");
  expect(await read("line\nend.txt")).toBe("odd\n");
  for (const path of ["b.txt", "gone.txt", "inner", "../../x", ".."]) expect(await read(path)).toBe("FILE_NOT_FOUND");
  const unknown = CheckpointId.parse("gone");
  expect(await read("a.txt", unknown)).toBe("CHECKPOINT_NOT_FOUND");
});

test("[WS-5] an ignored file that a tool names as changed is left out by its name", async () => {
  await using at = await workScene({
    "a.txt": text(),
    ".gitignore": ".env\nout/\n",
    "kept.env": "1\n",
  });
  await at.turn("t0", { "a.txt": text({ 1: " t0" }) });
  const named = [".env", join(at.root, "out/log.txt"), "a.txt", "../elsewhere.txt", ".git/config", "kept.env"];
  const change = { ".env": "SECRET=1\n", "out/log.txt": "log\n", "a.txt": text({ 5: " t1" }) };
  const both = await at.turn("t1", change, "one", named);
  expect(both?.files.map(({ path }) => path)).toEqual(["a.txt"]);
  expect(both?.leftOut).toEqual([
    { path: ".env", reason: "ignored" },
    { path: "out/log.txt", reason: "ignored" },
  ]);
  // Nothing that could be restored: the line is there for the name alone.
  const only = await at.turn("t2", { ".env": "SECRET=2\n" });
  expect({ total: only?.total, leftOut: only?.leftOut }).toEqual({
    total: 0,
    leftOut: [{ path: ".env", reason: "ignored" }],
  });
  // What no tool names, such as the output of a build, is no news.
  expect(await at.turn("t3", { "out/log.txt": "more\n" }, "one", [])).toBeNull();
  // A file that Git tracks is stored, whatever an ignore file says.
  git(at.root, "add", "-f", ".env");
  const tracked = await at.turn("t4", { ".gitignore": ".env\nkept.env\nout/\n", "kept.env": "2\n" });
  expect(tracked?.files.map(({ path }) => path)).toEqual([".gitignore", "kept.env"]);
  expect(tracked?.leftOut).toEqual([]);
});

test("[WS-17] [WS-23] a submodule that points to another commit is listed, and committed with the rest", async () => {
  await using at = await workScene();
  await using other = await gitScene({ "lib.txt": "lib\n" });
  git(at.root, "submodule", "add", "-q", other.root, "vendor/lib");
  git(at.root, "commit", "-qm", "submodule");
  const inside = join(at.root, "vendor/lib");
  await write(inside, { "lib.txt": "2\n" });
  git(inside, "commit", "-qam", "second");
  await write(at.root, { "b.txt": "2\n" });
  const to = git(inside, "rev-parse", "HEAD").trim();
  const { submodules, version, files } = await at.state(BASE);
  expect(submodules).toMatchObject([{ path: "vendor/lib", to }]);
  const items = [...files, ...submodules].map(({ path }) => ({ path }));
  await at.workdirs.commit(at.place(), { items, message: "Both", expect: version });
  expect(await at.state(BASE)).toMatchObject({ submodules: [], files: [] });
  expect(git(at.root, "rev-parse", "HEAD:vendor/lib").trim()).toBe(to);
  expect(git(at.root, "diff", "HEAD", "--name-only")).toBe("");
});
