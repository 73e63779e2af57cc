import { expect, test } from "bun:test";
import { ReviewScene } from "../../../tests/portlet/review-scene.ts";
import type { ChangesScope } from "../../protocol/changes.ts";
import { TurnId } from "../../protocol/ids.ts";
import { RequestError } from "../portlet-store.ts";
import { ChangesStore } from "./changes-store.ts";
import { ReviewDrafts } from "./remarks.ts";

const OLD = `${Array.from({ length: 60 }, (_, at) => `line ${at + 1}`).join("\n")}\n`;
/** Three places: at 5, 25 (two more lines) and 45. */
const NEW = OLD.replace("line 5\n", "FIVE\n").replace("line 25\n", "a\nb\nc\n").replace("line 45\n", "LAST\n");
const UNREVIEWED: ChangesScope = { kind: "unreviewed" };

/** Resolves when all requests are answered and handled. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) await Promise.resolve();
}

async function open(scene: ReviewScene, near: readonly string[] = ["a.ts"]) {
  const sent: string[] = [];
  const kept = new Map<string, string>();
  const storage = new ReviewDrafts("s", {
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => void kept.set(key, value),
    removeItem: (key) => void kept.delete(key),
  });
  let ids = 0;
  const store = new ChangesStore({
    request: async (question) => {
      const { answer, refusal } = scene.answer(question);
      if (answer) return answer;
      throw new RequestError(refusal?.message ?? "", refusal?.code ?? null, refusal);
    },
    newId: () => `r${++ids}`,
    storage,
    send: (prompt) => sent.push(prompt),
  });
  store.open(UNREVIEWED, null);
  await settled();
  for (const path of near) store.setNear(path, true);
  await settled();
  const verdicts = () => store.files.value.flatMap(({ hunks }) => hunks.map(({ verdict }) => verdict));
  return { store, sent, verdicts, storage };
}

test("hunks are fetched for the files that come into view, and for no others", async () => {
  const scene = new ReviewScene({ "a.ts": [OLD, NEW], "b.ts": [OLD, NEW] });
  const { store } = await open(scene);
  expect(scene.asked.filter(({ type }) => type === "changes:patch")).toEqual([
    { type: "changes:patch", scope: UNREVIEWED, path: "a.ts" },
  ]);
  expect(store.files.value.map(({ hunks }) => hunks.length)).toEqual([3, 0]);
});

test("[WS-18] several decisions in a row are each about the change that was seen, though its place moves", async () => {
  const scene = new ReviewScene({ "a.ts": [OLD, NEW] });
  const { store, verdicts } = await open(scene);
  store.decideCurrent("keep");
  store.decideCurrent("discard");
  store.decideCurrent("keep");
  await settled();
  expect(scene.files.get("a.ts")).toEqual({
    reviewed: OLD.replace("line 5\n", "FIVE\n").replace("line 45\n", "LAST\n"),
    current: OLD.replace("line 5\n", "FIVE\n").replace("line 45\n", "LAST\n"),
  });
  expect(verdicts()).toEqual(["kept", "discarded", "kept"]);
  expect(store.files.value[0]?.isSettled).toBe(true);
});

test("a key that comes before the hunks of its file is about the first of them, unless the reader has gone on", async () => {
  const scene = new ReviewScene({ "a.ts": [OLD, NEW], "b.ts": [OLD, NEW] });
  const { store } = await open(scene, []);
  store.decideCurrent("keep");
  await settled();
  expect(scene.files.get("a.ts")?.reviewed).toBe(OLD.replace("line 5\n", "FIVE\n"));
  store.goTo("b.ts");
  store.decideCurrent("discard");
  store.goTo("a.ts");
  await settled();
  expect(scene.files.get("b.ts")?.current).toBe(NEW);
});

test("a remark that is begun before the hunks of its file is on the first of them, unless the reader has gone on", async () => {
  const { store } = await open(new ReviewScene({ "a.ts": [OLD, NEW], "b.ts": [OLD, NEW] }), []);
  const begun: string[] = [];
  const begin = () => store.withCurrent((path, { range }) => begun.push(`${path} ${range}`));
  begin();
  await settled();
  expect(begun).toEqual(["a.ts Lines 2–8"]);
  store.goTo("b.ts");
  begin();
  store.goTo("a.ts");
  await settled();
  expect(begun).toHaveLength(1);
});

test("[WS-19] what was decided stays in view until the view closes, and each decision can be taken back", async () => {
  const scene = new ReviewScene({ "a.ts": [OLD, NEW] });
  const { store, verdicts } = await open(scene);
  store.decideCurrent("discard");
  await settled();
  store.decideCurrent("discard");
  await settled();
  expect(verdicts()).toEqual(["discarded", "discarded", "open"]);
  store.undo();
  await settled();
  expect(verdicts()).toEqual(["discarded", "open", "open"]);
  store.undo(store.files.value[0]?.hunks[0]?.undoId ?? undefined);
  await settled();
  expect(verdicts()).toEqual(["open", "open", "open"]);
  expect(scene.files.get("a.ts")?.current).toBe(NEW);
});

test("a file and everything in view can be decided at once, and undone at once", async () => {
  const scene = new ReviewScene({ "a.ts": [OLD, NEW], "b.ts": [null, "new\n"] });
  const { store, verdicts } = await open(scene, ["a.ts", "b.ts"]);
  store.decide("discard", null);
  await settled();
  expect(verdicts()).toEqual(["discarded", "discarded", "discarded", "discarded"]);
  expect(scene.files.get("b.ts")?.current).toBeNull();
  store.undo();
  await settled();
  expect(verdicts()).toEqual(["open", "open", "open", "open"]);
  store.decide("keep", { path: "b.ts" });
  await settled();
  expect(scene.files.get("b.ts")?.reviewed).toBe("new\n");
  expect(store.files.value[1]).toMatchObject({ isSettled: true, whole: { verdict: "kept" } });
});

test("[WS-9] a decision about files that changed meanwhile reports that, and shows the current files", async () => {
  const scene = new ReviewScene({ "a.ts": [OLD, NEW] });
  const { store, verdicts } = await open(scene);
  scene.refuses.set("changes:decide", { code: "WORKDIR_CHANGED", message: "Files changed since they were shown." });
  const before = scene.asked.length;
  store.decideCurrent("discard");
  await settled();
  expect(store.notice.value).toMatchObject({ severity: "warning", words: "Files changed since they were shown." });
  expect(scene.asked.slice(before).map(({ type }) => type)).toEqual(["changes:decide", "changes:open"]);
  expect(verdicts()).toEqual(["open", "open", "open"]);
});

test("[WS-13] a discard while an agent works waits, is shown so, and can be cancelled", async () => {
  const scene = new ReviewScene({ "a.ts": [OLD, NEW], "b.ts": [null, "new\n"] });
  const { store, verdicts } = await open(scene, ["a.ts", "b.ts"]);
  scene.isBusy = true;
  store.decideCurrent("discard");
  await settled();
  const [first] = store.files.value[0]?.hunks ?? [];
  expect(verdicts()).toEqual(["open", "open", "open", "open"]);
  expect(store.spoken.value).toBe("Discard waits for the end of the turn");
  const waiting = store.waitingFor("a.ts", first?.hunk.hunkId ?? "");
  expect(waiting).toMatchObject({ path: "a.ts", files: 1 });
  expect(store.waitingFor("a.ts", null)).toBeUndefined();
  store.decide("discard", { path: "b.ts" });
  await settled();
  expect(store.waitingFor("b.ts", null)).toMatchObject({ path: "b.ts" });
  const before = scene.asked.length;
  store.decide("discard", { path: "b.ts" });
  await settled();
  expect(scene.asked).toHaveLength(before);
  store.undo();
  await settled();
  expect(store.waitingFor("b.ts", null)).toBeUndefined();
  store.decide("keep", { path: "b.ts" });
  await settled();
  expect(scene.files.get("b.ts")?.reviewed).toBe("new\n");
  if (waiting) store.cancelWaiting(waiting);
  await settled();
  expect(store.state.value?.waiting).toEqual([]);
});

test("[WS-13] a decision that is refused while an agent works offers to stop its turn", async () => {
  const scene = new ReviewScene({ "a.ts": [OLD, NEW] });
  const { store } = await open(scene);
  scene.refuses.set("changes:undo", { code: "WORKDIR_BUSY", message: "An agent is working in this directory." });
  store.decideCurrent("keep");
  await settled();
  store.undo();
  await settled();
  expect(store.notice.value).toMatchObject({ severity: "warning", canStop: true });
});

test("a state of another scope, or one that comes after the view is closed, shows nothing", async () => {
  const scene = new ReviewScene({ "a.ts": [OLD, NEW] });
  const { store } = await open(scene);
  store.receive({ ...scene.state, scope: { kind: "turn", turnId: TurnId.parse("t") }, files: [] });
  expect(store.files.value.length).toBe(1);
  store.leave();
  store.receive(scene.state);
  expect(store.files.value).toEqual([]);
});

test("files that did not change keep their identity when the server sends a new state", async () => {
  const scene = new ReviewScene({ "a.ts": [OLD, NEW], "b.ts": [OLD, NEW] });
  const { store } = await open(scene);
  const before = store.files.value[1];
  store.receive({ ...scene.state, version: "77" });
  expect(store.files.value[1]).toBe(before as NonNullable<typeof before>);
});

test("remarks are kept until they are sent, all of them as one message", async () => {
  const scene = new ReviewScene({ "a.ts": [OLD, NEW] });
  const { store, sent, storage } = await open(scene);
  const place = { path: "a.ts", side: "new", from: 5, to: 5, quote: ["+FIVE"] } as const;
  store.startRemark({ ...place, quote: [...place.quote] });
  store.typeRemark("Why?");
  store.startRemark({ ...place, from: 45, to: 45, quote: ["+LAST"] });
  store.typeRemark("Shorter.");
  expect(storage.read().map(({ text }) => text)).toEqual(["Why?", "Shorter."]);
  store.sendRemarks();
  expect(sent.length).toBe(1);
  expect(sent[0]).toContain("a.ts:5\n");
  expect(sent[0]).toContain("Shorter.");
  expect(store.remarks.value).toEqual([]);
  expect(storage.read()).toEqual([]);
});

test("a remark that is being written is kept from the first letter on, and a cancelled one is not", async () => {
  const scene = new ReviewScene({ "a.ts": [OLD, NEW] });
  const { store, storage } = await open(scene);
  store.startRemark({ path: "a.ts", side: "new", from: 5, to: 5, quote: ["+FIVE"] });
  store.typeRemark("Wh");
  store.typeRemark("Why?");
  const kept = storage.read();
  expect(kept.map(({ text }) => text)).toEqual(["Why?"]);
  store.saveRemark();
  expect(storage.read()).toEqual(kept);
  store.editRemark(kept[0]?.id ?? "");
  store.typeRemark("Why not?");
  expect(storage.read().map(({ text }) => text)).toEqual(["Why not?"]);
  store.cancelRemark();
  expect(storage.read()).toEqual(kept);
});

test("[WS-23] a commit that a hook refuses shows what the hook printed, and keeps the message", async () => {
  const scene = new ReviewScene({ "a.ts": [OLD, NEW] });
  scene.more = { scope: { kind: "base" } };
  const { store, storage } = await open(scene);
  store.openCommit();
  await settled();
  store.changeCommit({ message: "Cap the backoff" });
  store.closeCommit();
  store.openCommit();
  expect(store.commitForm.value?.message).toBe("Cap the backoff");
  scene.refuses.set("workdir:commit", {
    code: "GIT_REFUSED",
    message: "…",
    words: "A hook refused.",
    details: "lint: 3",
  });
  await store.runCommit();
  expect(store.commitForm.value).toMatchObject({
    message: "Cap the backoff",
    isRunning: false,
    failure: { words: "A hook refused.", output: "lint: 3" },
  });
  scene.refuses.clear();
  await store.runCommit();
  expect(store.commitForm.value).toBeNull();
  expect(storage.message).toBe("");
  expect(store.notice.value).toMatchObject({ severity: "info", words: "Committed 1 file as 01234567." });
});

test("[WS-23] a commit that is asked for before its files are listed is made once they are, unless the form is closed", async () => {
  const scene = new ReviewScene({ "a.ts": [OLD, NEW] });
  const { store } = await open(scene);
  scene.more = { scope: { kind: "base" } };
  const commits = () => scene.asked.filter(({ type }) => type === "workdir:commit").length;
  store.openCommit();
  store.changeCommit({ message: "Cap the backoff" });
  const closed = store.runCommit();
  expect(store.commitForm.value?.isRunning).toBe(true);
  store.closeCommit();
  await closed;
  expect(commits()).toBe(0);
  store.open(UNREVIEWED, null);
  await settled();
  store.openCommit();
  await store.runCommit();
  expect(store.commitForm.value).toBeNull();
  expect(commits()).toBe(1);
});

test("[WS-23] a commit whose files cannot be listed shows why, and keeps the message", async () => {
  const scene = new ReviewScene({ "a.ts": [OLD, NEW] });
  const { store } = await open(scene);
  scene.refuses.set("changes:open", { code: "GIT_UNAVAILABLE", message: "Git is not installed. Install it." });
  store.openCommit();
  store.changeCommit({ message: "Cap the backoff" });
  await store.runCommit();
  expect(store.commitForm.value).toMatchObject({
    message: "Cap the backoff",
    isRunning: false,
    failure: { words: "Git is not installed. Install it." },
  });
});

test("[WS-23] a commit of all files is about all of them, also where the list has only the first ones", async () => {
  const scene = new ReviewScene({ "a.ts": [OLD, NEW] });
  scene.more = { scope: { kind: "base" }, total: 2_500 };
  const { store } = await open(scene);
  store.openCommit();
  await settled();
  store.changeCommit({ message: "All of it" });
  const { version } = scene.state;
  await store.runCommit();
  expect(scene.asked.filter(({ type }) => type === "workdir:commit")).toEqual([
    { type: "workdir:commit", message: "All of it", expect: version },
  ]);
  expect(store.notice.value?.words).toBe("Committed 2,500 files as 01234567.");
});
