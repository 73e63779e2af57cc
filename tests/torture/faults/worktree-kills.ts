import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ServerMessage } from "../../../src/protocol/server-messages.ts";
import type { Worktree } from "../../../src/protocol/worktrees.ts";
import { isSamePicture } from "../scene/pictures.ts";
import type { Scene } from "../scene/scene.ts";
import type { Tree, Workshop } from "../scene/workshop.ts";
import { cutOff } from "./cut-off.ts";
import { type Fault, type FaultOutcome, type FaultWorld, outcomeOf } from "./fault.ts";

const CREATE_MS = 900;
const CARE_MS = 250;
const HALF = 0.5;

/** `kill -9` of the server while it makes a worktree for a new session: it is whole, or nothing of it is there. */
export const worktreeCreateKill: Fault = {
  name: "worktree-create-kill",
  async inject(world) {
    const workshop = await world.scene.workshop();
    await workshop.tidy();
    const carry = world.random.fraction() < HALF;
    const before = new Set(recordsOf(world.scene));
    const made = await cutOff(world, workshop, {
      run: () => workshop.create({ carry }),
      hasBegun: () => recordsOf(world.scene).some((name) => !before.has(name)),
      stepMs: CREATE_MS,
    });
    if (made.type !== "session:created")
      return { breaches: [`a session in a worktree was refused after a kill: ${JSON.stringify(made)}`] };
    const tree = await workshop.keep(made.sessionId, made.session.worktree);
    const isWhole = !carry || isSamePicture(tree.files, workshop.files);
    return outcomeOf([
      ...(isWhole ? [] : [`${tree.name} does not have all that was to come along`]),
      ...(await withoutSession(workshop)),
    ]);
  },
};

/** The same while one is removed; sometimes a terminal is open in it. */
export const worktreeRemoveKill: Fault = {
  name: "worktree-remove-kill",
  async inject(world) {
    const workshop = await world.scene.workshop();
    const tree = await workshop.treeWithWork();
    const { worktreeId } = tree;
    if (world.random.fraction() < HALF) await workshop.ask("terminal:opened", { type: "terminal:open", worktreeId });
    const answer = await careKilled(world, workshop, tree, { type: "worktree:remove", worktreeId });
    const breaches = await stateAfter(workshop, tree, answer, "removed");
    const { terminals } = await workshop.ask("terminal:list", { type: "terminal:list" });
    for (const { terminalId, worktreeId: at } of terminals) {
      if (at !== worktreeId) continue;
      if (tree.isRemoved) breaches.push(`a terminal runs in ${tree.name}, which was removed`);
      await workshop.ask("ok", { type: "terminal:close", terminalId });
    }
    return outcomeOf(breaches);
  },
};

/** The same while one is brought back. */
export const worktreeReturnKill: Fault = {
  name: "worktree-return-kill",
  async inject(world) {
    const workshop = await world.scene.workshop();
    const tree = await removedTree(workshop);
    const { worktreeId } = tree;
    const answer = await careKilled(world, workshop, tree, { type: "worktree:return", worktreeId });
    return outcomeOf(await stateAfter(workshop, tree, answer, "ready"));
  },
};

/** The same while one is deleted for good, as the user asked. */
export const worktreePurgeKill: Fault = {
  name: "worktree-purge-kill",
  async inject(world): Promise<FaultOutcome> {
    const workshop = await world.scene.workshop();
    const tree = await removedTree(workshop);
    const { worktreeId, name } = tree;
    const answer = await careKilled(world, workshop, tree, { type: "worktree:purge", worktreeId, name });
    const isListed = (await workshop.list()).some((one) => one.worktreeId === worktreeId);
    if (!isListed) await workshop.forget(tree);
    return outcomeOf(answer.type === "ok" && isListed ? [`${name} was deleted and is listed`] : []);
  },
};

type Answer = Awaited<ReturnType<Workshop["attempt"]>>;

function careKilled(
  world: FaultWorld,
  workshop: Workshop,
  { worktreeId }: Tree,
  request: Parameters<Workshop["attempt"]>[0],
): Promise<Answer> {
  const isAtOnce = world.random.fraction() < HALF;
  return cutOff(world, workshop, {
    run: () => workshop.attempt(request),
    hasBegun: () => isAtOnce || isUnderWay(world.scene, worktreeId),
    stepMs: CARE_MS,
  });
}

/** Where it is now; the invariants look at what is in it. */
async function stateAfter(
  workshop: Workshop,
  tree: Tree,
  answer: Answer | ServerMessage,
  wanted: "ready" | "removed",
): Promise<string[]> {
  const status = (await workshop.list()).find(({ worktreeId }) => worktreeId === tree.worktreeId)?.status;
  tree.isRemoved = status === "removed";
  if (answer.type === "ok" && status !== wanted) return [`${tree.name} was to be ${wanted} and is ${status}`];
  return [];
}

async function removedTree(workshop: Workshop): Promise<Tree> {
  const known = workshop.trees.find(({ isRemoved }) => isRemoved);
  if (known) return known;
  const tree = await workshop.treeWithWork();
  await workshop.ask("ok", { type: "worktree:remove", worktreeId: tree.worktreeId });
  tree.isRemoved = true;
  return tree;
}

/** What was made for a session that there is not: it may only wait in quarantine, from where it is deleted. */
export async function withoutSession(workshop: Workshop): Promise<string[]> {
  const known = new Set(workshop.trees.map(({ worktreeId }) => worktreeId));
  const unknown = (await workshop.list()).filter(({ worktreeId, isOurs }) => isOurs && !known.has(worktreeId));
  const left: Worktree[] = [];
  for (const one of unknown) {
    const { worktreeId, name, status } = one;
    if (status !== "removed") left.push(one);
    else await workshop.ask("ok", { type: "worktree:purge", worktreeId, name });
  }
  return left.map(({ name, status, problem }) => `${name} (${status}, ${problem}) was made for no session`);
}

function recordsOf({ dirs }: Scene): string[] {
  const records = join(dirs.data, "worktrees");
  return existsSync(records) ? readdirSync(records).filter((name) => name.endsWith(".json")) : [];
}

function isUnderWay({ dirs }: Scene, worktreeId: string): boolean {
  try {
    return /"state": "\w+ing"/.test(readFileSync(join(dirs.data, "worktrees", `${worktreeId}.json`), "utf8"));
  } catch (error) {
    if (error instanceof Error && "code" in error) return true;
    throw error;
  }
}
