import { existsSync, readdirSync, readFileSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { git, picture, write } from "../../workspace/git-scene.ts";
import { isSamePicture, pictureDifference } from "../scene/pictures.ts";
import { type Files, readUserState, type Tree, type Workshop } from "../scene/workshop.ts";
import { cutOff } from "./cut-off.ts";
import { type Fault, outcomeOf } from "./fault.ts";

const MERGE_MS = 120;
const HALF = 0.5;
const LOCK_TEXT = "somebody else's\n";
const TRIES_MAX = 3;

/** `kill -9` of the server in a merge into the branch that the user has checked out: it is made, or it is not. */
export const mergeKill: Fault = {
  name: "merge-kill",
  async inject(world) {
    const { random, scene } = world;
    const workshop = await scene.workshop();
    const { tree, merged } = await committedWork(workshop);
    const { main } = workshop;
    const intents = join(scene.dirs.data, "merges");
    const lock = join(workshop.root, ".git/index.lock");
    const begins = random.fraction() < HALF ? () => existsSync(lock) : () => hasIntent(intents);
    const [request] = [await mergeOf(workshop, tree)];
    const answer = await cutOff(world, workshop, {
      run: () => workshop.attempt(request),
      hasBegun: begins,
      stepMs: MERGE_MS,
    });
    const isMoved = workshop.main !== main;
    if (answer.type === "merge:done" && !isMoved) return { breaches: ["a merge was answered and is not there"] };
    const breaches = isMoved ? await wrongAfter(workshop, merged) : [];
    if (isMoved || breaches.length > 0) {
      if (breaches.length === 0) await workshop.look();
      return outcomeOf(breaches);
    }
    // Undone: the files are as before, and the same merge works when it is asked for again.
    const wrong = await settled(workshop, tree, (words) => scene.excuse(words));
    return outcomeOf([...wrong, ...(await mergeAgain(workshop, tree, merged))]);
  },
};

/** Another program holds the lock of the index: a merge waits, then says so, and neither touches the lock nor a file. */
export const indexLock: Fault = {
  name: "index-lock",
  async inject({ scene }) {
    const workshop = await scene.workshop();
    const { tree, merged } = await committedWork(workshop);
    const request = await mergeOf(workshop, tree);
    const lock = join(workshop.root, ".git/index.lock");
    const { main } = workshop;
    await writeFile(lock, LOCK_TEXT, { flag: "wx" });
    const answer = await workshop.attempt(request);
    // A checkpoint needs no lock of the user's.
    await workshop.work(tree, 1);
    const breaches = await wrongAfter(workshop, workshop.files);
    if (answer.type !== "refused") breaches.push(`a merge beside a foreign lock was answered by ${answer.type}`);
    if (workshop.main !== main) breaches.push("a merge beside a foreign lock moved the branch");
    if (!existsSync(lock) || readFileSync(lock, "utf8") !== LOCK_TEXT) breaches.push("a foreign lock was touched");
    await rm(lock, { force: true });
    return outcomeOf([...breaches, ...(await mergeAgain(workshop, tree, merged))]);
  },
};

/** A new worktree with a commit that changes many files, and what the user's directory has after its merge. */
async function committedWork(workshop: Workshop): Promise<{ readonly tree: Tree; readonly merged: Files }> {
  await workshop.tidy();
  const tree = await workshop.newTree();
  const changed = Object.keys(tree.files).filter((path) => /^d\d+\/f\d+\.txt$/.test(path));
  const text = `${tree.name}\n`;
  const files = Object.fromEntries(
    changed.map((path) => [path, text + readFileSync(join(tree.path, path), "utf8")] as const),
  );
  await write(tree.path, { ...files, [`new/${tree.name}.txt`]: text });
  git(tree.path, "add", "-A");
  git(tree.path, "commit", "-qm", `work of ${tree.name}`);
  tree.files = await picture(tree.path);
  tree.tip = git(tree.path, "rev-parse", "HEAD").trim();
  const own = Object.entries(tree.files).filter(([path]) => path in files || path.startsWith("new/"));
  return { tree, merged: { ...workshop.files, ...Object.fromEntries(own) } };
}

async function mergeOf(workshop: Workshop, { worktreeId }: Tree) {
  const preview = await workshop.ask("merge:preview", { type: "merge:preview", worktreeId, into: "main" });
  if (preview.result !== "clean") throw new Error(`no clean merge: ${JSON.stringify(preview).slice(0, 400)}`);
  return { type: "merge:run", worktreeId, into: "main", how: "merge", expect: preview.expect } as const;
}

/** What the preview says is left behind by the killed Git is deleted, as its words tell the user to. */
async function settled(workshop: Workshop, { worktreeId }: Tree, excuse: (words: RegExp) => void): Promise<string[]> {
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const preview = await workshop.ask("merge:preview", { type: "merge:preview", worktreeId, into: "main" });
    if (preview.result === "clean") return wrongAfter(workshop, workshop.files);
    const [, left] = /delete what it left behind, then try again: (.+)$/.exec(preview.reason ?? "") ?? [];
    if (left === undefined) return [`a merge that was cut off is stuck: ${JSON.stringify(preview).slice(0, 600)}`];
    excuse(/delete what it left behind/);
    // A Git that outlived the server may have removed it by then.
    for (const file of left.split(" ")) await rm(file, { force: true });
  }
  return ["a merge that was cut off leaves something behind again and again"];
}

async function mergeAgain(workshop: Workshop, tree: Tree, merged: Files): Promise<string[]> {
  const answer = await workshop.attempt(await mergeOf(workshop, tree));
  if (answer.type !== "merge:done") return [`the merge does not work any more: ${JSON.stringify(answer)}`];
  const breaches = await wrongAfter(workshop, merged);
  if (breaches.length === 0) await workshop.look();
  return breaches;
}

async function wrongAfter({ root, userState }: Workshop, wanted: Files): Promise<string[]> {
  const now = await picture(root);
  const isChanged = JSON.stringify(readUserState(root)) !== JSON.stringify(userState);
  return [
    ...(isSamePicture(now, wanted) ? [] : [`the user's directory: ${pictureDifference(now, wanted)}`]),
    ...(isChanged ? [`the user's repository changed: ${JSON.stringify([readUserState(root), userState])}`] : []),
  ];
}

function hasIntent(directory: string): boolean {
  return existsSync(directory) && readdirSync(directory).some((name) => name.endsWith(".json"));
}
