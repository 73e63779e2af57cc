import { expect, test } from "bun:test";
import { chmod, rm } from "node:fs/promises";
import { join } from "node:path";
import type { FilePatch } from "../../src/protocol/changes.ts";
import { SessionId } from "../../src/protocol/ids.ts";
import { rawPath, shownPath } from "../../src/workspace/git/raw-path.ts";
import { readBase } from "../../src/workspace/vault/base.ts";
import { changedFiles, compareScans } from "../../src/workspace/vault/compare.ts";
import {
  carryOut,
  listDecisions,
  readReviewed,
  readViewed,
  recordDecision,
  setViewed,
  storeReviewed,
  UndoConflictError,
  undoDecision,
} from "../../src/workspace/vault/decisions.ts";
import { applyHunks, compareFile } from "../../src/workspace/vault/hunks.ts";
import { reviewedAfterEdits } from "../../src/workspace/vault/merge.ts";
import { WorkdirChangedError } from "../../src/workspace/vault/move.ts";
import { patchOf } from "../../src/workspace/vault/patch.ts";
import {
  followCommits,
  listFiles,
  planDecision,
  type ReviewItem,
  type ReviewStates,
  viewFiles,
} from "../../src/workspace/vault/review.ts";
import { type Scan, scan } from "../../src/workspace/vault/scan.ts";
import type { Vault } from "../../src/workspace/vault/vault.ts";
import { roundsOf, seededRandom } from "../support/seeded-random.ts";
import { git, gitScene, picture, write } from "./git-scene.ts";

const SESSION = SessionId.parse("claude-code:1");

/** Lines 1 to 40; the named ones have a word behind them. */
const text = (changed: Readonly<Record<number, string>> = {}) =>
  Array.from({ length: 40 }, (_, at) => `${at + 1}${changed[at + 1] ?? ""}\n`).join("");

/** A review of a working directory, as a client does it: look, then decide about what was seen. */
class Reviewer {
  readonly vault: Vault;
  #count = 0;

  constructor(vault: Vault) {
    this.vault = vault;
  }

  async states(scope: "base" | "unreviewed" | { before: Scan; after: Scan }): Promise<ReviewStates> {
    const current = await scan(this.vault);
    const reviewed = (await readReviewed(this.vault))?.scan ?? current;
    if (scope === "unreviewed") return { from: reviewed, to: current, reviewed, current, isTurn: false };
    if (scope !== "base") return { from: scope.before, to: scope.after, reviewed, current, isTurn: true };
    return {
      ...{ to: current, reviewed, current, isTurn: false },
      from: (await readBase(this.vault, current, null)).scan,
    };
  }

  async decide(
    kind: "keep" | "discard",
    scope: Parameters<Reviewer["states"]>[0] | ReviewStates,
    items: readonly ReviewItem[] | null,
  ): Promise<string> {
    const seen = typeof scope === "object" && "isTurn" in scope ? scope : await this.states(scope);
    const states =
      seen === scope ? { ...seen, current: await scan(this.vault), reviewed: await this.reviewed() } : seen;
    const plan = await planDecision(this.vault, kind, states, { items, seen });
    this.#count += 1;
    const undoId = `u${this.#count}`;
    await carryOut(
      this.vault,
      { undoId, kind, at: "2030-01-01T00:00:00.000Z", sessionId: SESSION, safetyId: `s-${undoId}` },
      { before: states, after: { reviewed: plan.reviewed, current: plan.target }, commits: "" },
    );
    return undoId;
  }

  async undo(undoId: string) {
    const now = { current: await scan(this.vault), reviewed: await this.reviewed() };
    return undoDecision(this.vault, undoId, { now, commits: "", safetyId: `s-${undoId}-undone` });
  }

  async reviewed(): Promise<Scan> {
    const stored = await readReviewed(this.vault);
    if (stored === null) throw new Error("nothing was reviewed yet");
    return stored.scan;
  }

  /** All files count as reviewed. */
  async start(): Promise<Scan> {
    const files = await scan(this.vault);
    await storeReviewed(this.vault, { scan: files, commits: "" });
    return files;
  }

  async patch(states: ReviewStates, path: string, whole = false): Promise<FilePatch> {
    const view = (await viewFiles(this.vault, states)).get(rawPath(path));
    if (!view) throw new Error(`${path} did not change`);
    return patchOf(this.vault, view, whole);
  }

  async hunkIds(states: ReviewStates, path: string): Promise<string[]> {
    const patch = await this.patch(states, path);
    if (patch.kind !== "text") throw new Error(`${path} has no lines`);
    return patch.hunks.map(({ hunkId }) => hunkId);
  }

  /** `path mark` of every file. */
  async marks(scope: Parameters<Reviewer["states"]>[0]): Promise<string[]> {
    const files = await listFiles(this.vault, await this.states(scope));
    return files.map(({ path, mark }) => `${shownPath(path)} ${mark}`);
  }
}

const item = (path: string, ...hunkIds: (string | undefined)[]): ReviewItem => ({
  path: rawPath(path),
  ...(hunkIds.length > 0 && { hunkIds: hunkIds.map((id) => id ?? "none") }),
});
const contentOf = (root: string, path: string) => Bun.file(join(root, path)).text();

test("[WS-18] keep moves only what is reviewed; discard takes back that place alone, and accepted ones stay", async () => {
  await using at = await gitScene({ "a.txt": text() });
  const review = new Reviewer(await at.openVault());
  await review.start();
  await write(at.root, { "a.txt": text({ 5: "x", 20: "x", 35: "x" }), "b.txt": "new\n" });
  const files = await picture(at.root);
  const base = await review.states("base");
  const [first, second] = await review.hunkIds(base, "a.txt");
  await review.decide("keep", base, [item("a.txt", first)]);
  expect(await picture(at.root)).toEqual(files);
  const patch = await review.patch(await review.states("base"), "a.txt");
  expect(patch.kind === "text" && patch.hunks.map(({ isKept }) => isKept)).toEqual([true, false, false]);
  expect(await review.hunkIds(await review.states("unreviewed"), "a.txt")).toHaveLength(2);
  await review.decide("discard", base, [item("a.txt", second)]).then(
    () => expect.unreachable(),
    (error) => expect(error).toBeInstanceOf(WorkdirChangedError),
  );
  await review.decide("discard", await review.states("base"), [item("a.txt", second)]);
  expect(await contentOf(at.root, "a.txt")).toBe(text({ 5: "x", 35: "x" }));
  expect(await review.marks("unreviewed")).toEqual(["a.txt open", "b.txt open"]);
  // Everything that is open goes; the place that was accepted stays.
  await review.decide("discard", "base", null);
  expect(await contentOf(at.root, "a.txt")).toBe(text({ 5: "x" }));
  expect(Object.keys(await picture(at.root))).toEqual(["a.txt"]);
  expect(await review.marks("unreviewed")).toEqual([]);
  expect(await review.marks("base")).toEqual(["a.txt kept"]);
  // Taken back all the same when the user says so of this very place.
  const kept = await review.states("base");
  await review.decide("discard", kept, [item("a.txt", ...(await review.hunkIds(kept, "a.txt")))]);
  expect(await contentOf(at.root, "a.txt")).toBe(text());
  expect(await review.marks("unreviewed")).toEqual([]);
});

test("[WS-18] whole files: added, deleted, binary, links and modes are kept and discarded", async () => {
  await using at = await gitScene({
    "a.txt": "1\n",
    "gone.txt": "1\n",
    "b.bin": "a\0b",
    "run.sh": "x\n",
    "c.txt": "1\n",
  });
  const review = new Reviewer(await at.openVault());
  await review.start();
  const before = await picture(at.root);
  const edit = async () => {
    await write(at.root, { "new.txt": "n\n", "b.bin": "a\0c", "c.txt": "2\n" });
    await rm(join(at.root, "gone.txt"), { force: true });
    await chmod(join(at.root, "run.sh"), 0o755);
  };
  await edit();
  const after = await picture(at.root);
  const unreviewed = await review.states("unreviewed");
  expect((await review.patch(unreviewed, "run.sh")).kind).toBe("mode");
  expect(await review.patch(unreviewed, "b.bin")).toEqual({
    kind: "binary",
    words: "Changed a binary file: was 3 bytes, now 3 bytes.",
  });
  for (const path of ["new.txt", "gone.txt"]) expect(await review.hunkIds(unreviewed, path)).toHaveLength(1);
  await review.decide("discard", "unreviewed", null);
  expect(await picture(at.root)).toEqual(before);
  await edit();
  const again = await review.states("unreviewed");
  const [added] = await review.hunkIds(again, "new.txt");
  const [deleted] = await review.hunkIds(again, "gone.txt");
  await review.decide("discard", again, [item("new.txt", added), item("gone.txt", deleted), item("run.sh")]);
  expect(await review.marks("unreviewed")).toEqual(["b.bin open", "c.txt open"]);
  await edit();
  await review.decide("keep", "unreviewed", [item("new.txt"), item("gone.txt"), item("run.sh"), item("b.bin")]);
  expect(await review.marks("base")).toEqual([
    "b.bin kept",
    "c.txt open",
    "gone.txt kept",
    "new.txt kept",
    "run.sh kept",
  ]);
  expect(await picture(at.root)).toEqual(after);
});

test("[WS-18] a turn's decisions leave alone what others changed in the same file; what moved on is refused", async () => {
  await using at = await gitScene({ "a.txt": text(), "b.txt": text() });
  const review = new Reviewer(await at.openVault());
  await review.start();
  await write(at.root, { "a.txt": text({ 5: " first" }), "b.txt": text({ 5: " first" }) });
  const before = await scan(review.vault);
  await write(at.root, {
    "a.txt": text({ 5: " first", 20: " second", 30: " second" }),
    "b.txt": text({ 5: " first", 20: " second" }),
  });
  const after = await scan(review.vault);
  const turn = { before, after };
  const states = await review.states(turn);
  const [first] = await review.hunkIds(states, "a.txt");
  await review.decide("keep", states, [item("a.txt", first)]);
  expect(await review.marks(turn)).toEqual(["a.txt open", "b.txt open"]);
  await review.decide("discard", turn, [item("a.txt")]);
  expect(await contentOf(at.root, "a.txt")).toBe(text({ 5: " first", 20: " second" }));
  expect(await review.marks(turn)).toEqual(["a.txt moved-on", "b.txt open"]);
  await expect(review.decide("discard", turn, [item("a.txt")])).rejects.toThrow(WorkdirChangedError);
  await review.decide("keep", turn, null);
  expect(await review.marks(turn)).toEqual(["a.txt moved-on", "b.txt kept"]);
  // The earlier turn's place is still open in both.
  const open = await review.states("unreviewed");
  for (const path of ["a.txt", "b.txt"]) {
    const patch = await review.patch(open, path);
    expect(patch.kind === "text" && patch.hunks.map(({ newLines }) => newLines)).toEqual([["5 first"]]);
  }
});

test("[WS-9] [WS-20] a decision about what has changed since, or was decided by another, is refused whole", async () => {
  await using at = await gitScene({ "a.txt": text(), "b.txt": "1\n", "c.txt": "1\n" });
  const review = new Reviewer(await at.openVault());
  await review.start();
  await write(at.root, { "a.txt": text({ 5: "x", 20: "x" }), "b.txt": "2\n" });
  const seen = await review.states("unreviewed");
  const [first, second] = await review.hunkIds(seen, "a.txt");
  const files = await picture(at.root);
  for (const items of [[item("b.txt"), item("a.txt", "other")], [item("b.txt"), item("none.txt")], [item("c.txt")]])
    for (const kind of ["keep", "discard"] as const)
      await expect(review.decide(kind, seen, items)).rejects.toThrow(WorkdirChangedError);
  // Two clients look at the same; one keeps, the other then discards.
  await review.decide("keep", seen, [item("a.txt", first)]);
  await expect(review.decide("discard", seen, [item("a.txt", first)])).rejects.toThrow(WorkdirChangedError);
  await expect(review.decide("discard", seen, [item("a.txt")])).rejects.toThrow(WorkdirChangedError);
  await expect(review.decide("discard", seen, null)).rejects.toThrow(WorkdirChangedError);
  await expect(review.decide("keep", seen, [item("a.txt", second)])).rejects.toThrow(WorkdirChangedError);
  expect(await picture(at.root)).toEqual(files);
  // What changed elsewhere is no obstacle.
  await write(at.root, { "c.txt": "2\n" });
  await review.decide("discard", seen, [item("b.txt")]);
  expect(await contentOf(at.root, "b.txt")).toBe("1\n");
  const now = await review.states("unreviewed");
  await write(at.root, { "a.txt": text({ 5: "x", 20: "x", 30: "editor" }) });
  await expect(review.decide("discard", now, [item("a.txt")])).rejects.toThrow(WorkdirChangedError);
  expect(await contentOf(at.root, "a.txt")).toBe(text({ 5: "x", 20: "x", 30: "editor" }));
});

test("[WS-19] every decision is undone after a restart, also when the file was changed elsewhere since", async () => {
  await using at = await gitScene({ "a.txt": text(), "gone.txt": "1\n" });
  let review = new Reviewer(await at.openVault());
  await review.start();
  await write(at.root, { "a.txt": text({ 5: "x", 20: "x" }), "new.txt": "n\n" });
  await rm(join(at.root, "gone.txt"));
  const files = await picture(at.root);
  const seen = await review.states("unreviewed");
  const [first] = await review.hunkIds(seen, "a.txt");
  const kept = await review.decide("keep", seen, [item("a.txt", first)]);
  const discarded = await review.decide("discard", "unreviewed", null);
  expect(Object.keys(await picture(at.root))).toEqual(["a.txt", "gone.txt"]);
  // The server starts again, and Git cleans up in the vault.
  const vault = await at.openVault();
  await vault.git(["gc", "--prune=now", "--quiet"]);
  review = Object.assign(new Reviewer(vault), {});
  const listed = await listDecisions(vault);
  expect(listed.map(({ undoId, kind, paths }) => `${undoId} ${kind} ${paths.join(" ")}`)).toEqual([
    `${discarded} discard a.txt gone.txt new.txt`,
    `${kept} keep a.txt`,
  ]);
  // An editor has gone on in another place of the file: that stays.
  await write(at.root, { "a.txt": text({ 5: "x", 38: "editor" }) });
  await review.undo(discarded);
  expect(await contentOf(at.root, "a.txt")).toBe(text({ 5: "x", 20: "x", 38: "editor" }));
  await write(at.root, { "a.txt": text({ 5: "x", 20: "x" }) });
  expect(await picture(at.root)).toEqual(files);
  await review.undo(kept);
  expect(await picture(at.root)).toEqual(files);
  expect(await review.hunkIds(await review.states("unreviewed"), "a.txt")).toHaveLength(2);
  expect(await listDecisions(vault)).toEqual([]);
  expect(await review.undo(kept)).toBeNull();
});

test("[WS-19] an undo that conflicts with a later change reports that and touches nothing", async () => {
  await using at = await gitScene({ "a.txt": text(), "b.txt": "1\n" });
  const review = new Reviewer(await at.openVault());
  await review.start();
  await write(at.root, { "a.txt": text({ 5: "agent" }), "b.txt": "2\n" });
  const undoId = await review.decide("discard", "unreviewed", null);
  await write(at.root, { "a.txt": text({ 5: "editor" }) });
  const files = await picture(at.root);
  const refused = await review.undo(undoId).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(UndoConflictError);
  expect(refused).toMatchObject({ paths: ["a.txt"] });
  expect(await picture(at.root)).toEqual(files);
  await write(at.root, { "a.txt": text() });
  await review.undo(undoId);
  expect(await contentOf(at.root, "a.txt")).toBe(text({ 5: "agent" }));
  expect(await contentOf(at.root, "b.txt")).toBe("2\n");
  expect(await review.marks("unreviewed")).toEqual(["a.txt open", "b.txt open"]);
});

test("[WS-11] [WS-19] undoing a restore brings back a file that was ignored by then, and no decision drops an interrupted move", async () => {
  await using at = await gitScene({ "a.txt": "1\n" });
  await write(at.root, { "notes.txt": "first\n" });
  const reviewer = new Reviewer(await at.openVault());
  const wanted = await reviewer.start();
  await write(at.root, { ".gitignore": "notes.txt\n", "notes.txt": "second\n" });
  const current = await scan(reviewer.vault);
  const reviewed = await reviewer.reviewed();
  const about = { kind: "restore", at: "2030-01-01T00:00:00.000Z", sessionId: SESSION } as const;
  const restore = (undoId: string) =>
    carryOut(
      reviewer.vault,
      { ...about, undoId, safetyId: `s-${undoId}` },
      { before: { reviewed, current }, after: { reviewed, current: wanted }, commits: "" },
    );
  await restore("restored");
  expect(await contentOf(at.root, "notes.txt")).toBe("first\n");
  await reviewer.undo("restored");
  expect(await contentOf(at.root, "notes.txt")).toBe("second\n");
  // A server was killed in the middle of another one.
  const [part] = current.parts;
  const [target] = wanted.parts;
  const intent = JSON.stringify({ id: "cut-off", from: [part], to: [target] });
  await write(reviewer.vault.path, { "intent.json": intent });
  await expect(restore("again")).rejects.toThrow("Finish or Put back");
  expect(await Bun.file(join(reviewer.vault.path, "intent.json")).text()).toBe(intent);
  expect(await contentOf(at.root, "notes.txt")).toBe("second\n");
  expect((await listDecisions(reviewer.vault)).map(({ undoId }) => undoId)).toEqual([]);
});

test("[WS-19] only the newest decisions are kept; marks of viewed files hold for the version that was seen", async () => {
  await using at = await gitScene();
  const vault = await at.openVault();
  const files = await scan(vault);
  const states = { before: { reviewed: files, current: files }, after: { reviewed: files, current: files } };
  const about = { kind: "keep" as const, at: "2030-01-01T00:00:00.000Z", sessionId: SESSION };
  for (const undoId of ["one", "two", "three", "four"]) await recordDecision(vault, { ...about, undoId }, states, 3);
  expect((await listDecisions(vault)).map(({ undoId }) => undoId)).toEqual(["four", "three", "two"]);
  await setViewed(vault, rawPath("a.txt"), "v1");
  await setViewed(vault, rawPath("ü"), "v1");
  await setViewed(vault, rawPath("a.txt"), null);
  expect([...(await readViewed(await at.openVault()))]).toEqual([[rawPath("ü"), "v1"]]);
});

test("[WS-24] a commit made elsewhere marks its places as kept, and no others", async () => {
  await using at = await gitScene({ "a.txt": text(), "b.txt": "1\n", "c.txt": "1\n" });
  const vault = await at.openVault();
  const review = new Reviewer(vault);
  const reviewed = await review.start();
  await write(at.root, { "a.txt": text({ 5: "x" }), "b.txt": "2\n", "c.txt": "2\n", "new.txt": "1\n2\n" });
  git(at.root, "add", "a.txt", "b.txt", "new.txt");
  git(at.root, "commit", "-qm", "by hand");
  await write(at.root, { "a.txt": text({ 5: "x", 20: "x" }), "new.txt": "1\n2\n3\n" });
  const current = await scan(vault);
  const base = await readBase(vault, current, null);
  await storeReviewed(vault, { scan: await followCommits(vault, { reviewed, current, base: base.scan }), commits: "" });
  expect(await review.marks("unreviewed")).toEqual(["a.txt open", "c.txt open", "new.txt open"]);
  const open = await review.states("unreviewed");
  const lines = async (path: string) => {
    const patch = await review.patch(open, path);
    return patch.kind === "text" ? patch.hunks.map(({ oldLines, newLines }) => [oldLines, newLines]) : [];
  };
  expect(await lines("a.txt")).toEqual([[["20"], ["20x"]]]);
  expect(await lines("new.txt")).toEqual([[[], ["3"]]]);
});

test("what the user changes between two turns needs no review; the agent's places in the same file stay open", async () => {
  await using at = await gitScene({ "a.txt": text(), "b.txt": "1\n" });
  const vault = await at.openVault();
  const review = new Reviewer(vault);
  const reviewed = await review.start();
  await write(at.root, { "a.txt": text({ 5: "agent" }) });
  const before = await scan(vault);
  await write(at.root, { "a.txt": text({ 5: "agent", 30: "user" }), "b.txt": "user\n", "mine.txt": "user\n" });
  const after = await scan(vault);
  await storeReviewed(vault, { scan: await reviewedAfterEdits(vault, reviewed, { before, after }), commits: "" });
  expect(await review.marks("unreviewed")).toEqual(["a.txt open"]);
  const patch = await review.patch(await review.states("unreviewed"), "a.txt");
  expect(patch.kind === "text" && patch.hunks.map(({ newLines }) => newLines)).toEqual([["5agent"]]);
});

test("[WS-21] a patch has context once, headings, missing line ends and limits", async () => {
  const code = (value: string) => `function one() {\n${text()}  return ${value};\n}\n`;
  await using at = await gitScene({ "a.txt": text(), "f.js": code("1"), "end.txt": "1\n2", "big.txt": "1\n" });
  const review = new Reviewer(await at.openVault());
  await review.start();
  await write(at.root, {
    "a.txt": text({ 5: "x", 9: "x" }),
    "f.js": code("2"),
    "end.txt": "1\n2\n",
    "big.txt": "x".repeat(1024 * 1024),
    "many.txt": "1\n".repeat(6_000),
    "dos.txt": "a\r\nb\r\n",
    "odd.txt": Buffer.from([0x61, 0xff, 0x0a]),
  });
  const states = await review.states("unreviewed");
  const patch = await review.patch(states, "a.txt");
  expect(patch).toMatchObject({
    kind: "text",
    isWholeFile: false,
    hunks: [
      { oldStart: 5, newStart: 5, before: ["2", "3", "4"], oldLines: ["5"], newLines: ["5x"], after: ["6", "7", "8"] },
      { oldStart: 9, newStart: 9, before: [], oldLines: ["9"], newLines: ["9x"], after: ["10", "11", "12"] },
    ],
  });
  const whole = await review.patch(states, "a.txt", true);
  if (whole.kind !== "text") throw new Error("it is text");
  const lines = whole.hunks.flatMap(({ before, newLines, after }) => [...before, ...newLines, ...after]);
  expect(`${lines.join("\n")}\n`).toBe(text({ 5: "x", 9: "x" }));
  expect(await review.patch(states, "f.js")).toMatchObject({ hunks: [{ heading: "function one() {" }] });
  expect(await review.patch(states, "end.txt")).toMatchObject({
    hunks: [{ noEnd: "old", oldLines: ["2"], newLines: ["2"] }],
  });
  expect(await review.patch(states, "big.txt")).toMatchObject({ kind: "too-large", lines: 2, bytes: 1024 * 1024 + 2 });
  expect(await review.patch(states, "big.txt", true)).toMatchObject({ kind: "text", hunks: [{ noEnd: "new" }] });
  expect(await review.patch(states, "many.txt")).toMatchObject({ kind: "too-large", lines: 6_000 });
  expect(await review.patch(states, "dos.txt")).toMatchObject({ hunks: [{ newLines: ["a", "b"] }] });
  expect(await review.patch(states, "odd.txt")).toMatchObject({ hunks: [{ newLines: ["a\ufffd"] }] });
});

test("[WS-18] any choice of hunks gives the chosen text, for random texts", async () => {
  const random = seededRandom("hunks");
  await using at = await gitScene();
  const vault = await at.openVault();
  const entryOf = async (content: string) => {
    const id = (await vault.git(["hash-object", "-w", "--stdin"], { input: content })).toString().trim();
    return { mode: "100644", id };
  };
  const textOf = () => {
    const lines = Array.from({ length: random.between(0, 12) }, () =>
      random.pick(["a", "b", "c", "@@ -1 +1 @@", "-- x", "\r"]),
    );
    return lines.join("\n") + random.pick(["", "\n"]);
  };
  for (let round = 0; round < roundsOf(500); round++) {
    const [before, after] = [textOf(), textOf()];
    const file = await compareFile(vault, await entryOf(before), await entryOf(after));
    expect(applyHunks(file, () => false)).toBe(before);
    expect(applyHunks(file, () => true)).toBe(after);
    const chosen = (file.hunks ?? []).filter(() => random.fraction() < 0.5);
    const middle = applyHunks(file, (hunk) => chosen.includes(hunk));
    // What was chosen is no longer between the result and the new text; what was not is.
    const count = (content: string) => content.split("\n").length;
    const grown = chosen.reduce((sum, { newCount, oldCount }) => sum + newCount - oldCount, 0);
    expect(Math.abs(count(middle) - count(before) - grown)).toBeLessThanOrEqual(1);
  }
});

const STEPS_FULL = 120;

test("[WS-18] [WS-19] random edits, decisions and undos: keeping touches no file, nothing open is left after all, undo brings all back", async () => {
  const random = seededRandom("decisions and undos");
  await using at = await gitScene({ "a.txt": text(), "b.txt": text(), "c.txt": text() });
  const vault = await at.openVault();
  const review = new Reviewer(vault);
  await review.start();
  const changed = async (from: Scan, to: Scan) => [...(await changedFiles(vault, from, to)).keys()];
  for (let step = 0; step < roundsOf(STEPS_FULL); step++) {
    const name = random.pick(["a.txt", "b.txt", "c.txt", "new.txt"]);
    const words = Object.fromEntries(
      Array.from({ length: random.between(0, 4) }, () => [random.between(1, 40), ` ${random.between(1, 9)}`]),
    );
    if (random.fraction() < 0.1) await rm(join(at.root, name), { force: true });
    else await write(at.root, { [name]: text(words) });
    const states = await review.states(random.pick(["base", "unreviewed"]));
    const open = (await listFiles(vault, states)).filter(({ mark }) => mark === "open");
    if (open.length === 0) continue;
    const kind = random.pick(["keep", "discard"] as const);
    const file = random.pick(open);
    const patch = await review.patch(states, shownPath(file.path));
    const ids = patch.kind === "text" ? patch.hunks.filter(({ isKept }) => !isKept).map(({ hunkId }) => hunkId) : [];
    const way = random.fraction();
    const items =
      way < 0.25
        ? null
        : way < 0.5 || ids.length === 0
          ? [{ path: file.path }]
          : [item(shownPath(file.path), random.pick(ids))];
    const files = await picture(at.root);
    const undoId = await review.decide(kind, states, items);
    if (kind === "keep") expect(await picture(at.root)).toEqual(files);
    const after = await review.states("unreviewed");
    const left = await changed(after.reviewed, after.current);
    // What was decided about is decided; in `base`, a place may still differ from what was reviewed elsewhere in the file.
    if (items === null && states.from === states.reviewed) expect(left).toEqual([]);
    if (items?.[0]?.hunkIds === undefined) expect(left).not.toContain(file.path);
    if (random.fraction() < 0.5) continue;
    await review.undo(undoId);
    expect(await picture(at.root)).toEqual(files);
    expect(await changed(await review.reviewed(), states.reviewed)).toEqual([]);
  }
  expect((await compareScans(vault, await review.reviewed(), await review.reviewed())).length).toBe(0);
});
