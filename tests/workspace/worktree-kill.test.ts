import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { readdir, readFile, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { WorktreePlace } from "../../src/ports/worktrees.ts";
import { SessionId } from "../../src/protocol/ids.ts";
import { roundsOf, seededRandom } from "../support/seeded-random.ts";
import { git, picture, write } from "./git-scene.ts";
import { worktreeScene } from "./worktree-scene.ts";

/** In each step. */
const KILLS_FULL = 100;
const CARRY_KILLS_FULL = 50;
const FILES = 200;
const PROGRAM = join(import.meta.dirname, "programs/worktree-step.ts");
/** How long each step takes, about. */
const STEP_MS = { create: 700, remove: 500, return: 60, purge: 150 } as const;
const CARRY_MS = 500;
type Step = keyof typeof STEP_MS;
const STEPS = Object.keys(STEP_MS) as Step[];

type Scene = Awaited<ReturnType<typeof worktreeScene>>;
const quarantineOf = ({ path, name }: WorktreePlace) => join(dirname(dirname(path)), ".quarantine", name);

test("[WS-16] kill -9 while a worktree is made, removed, brought back or deleted loses nothing and leaves nothing stuck", async () => {
  const random = seededRandom("kill -9 with worktrees");
  const files = Object.fromEntries(
    Array.from({ length: FILES }, (_, index) => [`d${index % 20}/f${index}`, `${index}\n`]),
  );
  await using at = await worktreeScene({ ...files, ".gitignore": ".env\n", ".worktreeinclude": ".env\n" });
  await write(at.root, { ".env": "KEY=1\n", "new.txt": "not committed\n", "d1/f1": "changed\n" });
  const counts = { kills: 0, killsOfEach: roundsOf(KILLS_FULL), undone: 0, finished: 0 };
  let place: WorktreePlace | null = null;
  for (let round = 0; round < STEPS.length * roundsOf(KILLS_FULL); round++) {
    const step = STEPS[round % STEPS.length] ?? "create";
    place = await prepare(at, step, place);
    const kept = place === null ? null : await picture(existsSync(place.path) ? place.path : quarantineOf(place), []);
    const child = Bun.spawn([process.execPath, PROGRAM, at.dir.path, at.root, step, place?.worktreeId ?? ""], {
      stdout: "pipe",
      stderr: "inherit",
    });
    for await (const chunk of child.stdout) if (Buffer.from(chunk).includes("starting")) break;
    await Bun.sleep(random.between(0, STEP_MS[step]));
    // With its Git, as a machine that goes down; or alone, as the kernel does when memory is short.
    const withGit = random.fraction() < 0.5 ? await childrenOf(child.pid) : [];
    child.kill("SIGKILL");
    for (const pid of withGit) killQuietly(pid);
    await child.exited;
    counts.kills += 1;
    at.restart();
    await at.worktrees.settled();
    const listed = await at.worktrees.list(at.project);
    // Nothing is stuck, nothing is missing.
    expect(listed.filter(({ status }) => status !== "ready" && status !== "removed")).toEqual([]);
    if (await isAsAfter(at, step, place)) counts.finished += 1;
    else counts.undone += 1;
    // Nothing is lost: the whole worktree is in one of its two places, unless the user wanted it deleted.
    if (place !== null && kept !== null) {
      const isListed = listed.some(({ worktreeId }) => worktreeId === place?.worktreeId);
      if (isListed) expect(await picture(existsSync(place.path) ? place.path : quarantineOf(place), [])).toEqual(kept);
      else expect(step).toBe("purge");
      if (!isListed) place = null;
    }
    // Nothing is left over: directories, registrations and branches all belong to a worktree that is listed.
    const names = listed.map(({ name }) => name).sort();
    expect(await directoriesOf(at)).toEqual(names);
    expect(await registeredOf(at)).toEqual(names);
    expect(
      git(at.root, "branch", "--list", "liminal/*", "--format=%(refname:lstrip=3)").split("\n").filter(Boolean),
    ).toEqual(names);
    expect(git(at.root, "worktree", "list", "--porcelain")).not.toContain("prunable");
    expect(await Array.fromAsync(new Bun.Glob("**/*.lock").scan({ cwd: join(at.root, ".git"), dot: true }))).toEqual(
      [],
    );
    // The next round begins with at most one worktree.
    for (const { worktreeId, status } of listed) {
      if (worktreeId === place?.worktreeId) continue;
      if (status === "ready") await at.worktrees.remove(worktreeId);
      await at.worktrees.purge(worktreeId);
    }
  }
  console.log(`kill -9 with worktrees: ${JSON.stringify(counts)}, 0 lost, 0 stuck`);
});

test("[WS-16] [WS-33] kill -9 while uncommitted work is carried to a worktree: repeated, it is there, and nothing is lost", async () => {
  const random = seededRandom("kill -9 while carrying");
  const files = Object.fromEntries(Array.from({ length: FILES }, (_, index) => [`d${index % 20}/f${index}`, "old\n"]));
  await using at = await worktreeScene(files);
  const changed = Object.keys(files).map((path) => [path, `${path} `.repeat(random.between(1, 2_000))] as const);
  await write(at.root, { ...Object.fromEntries(changed), "new/one.txt": "new\n" });
  await rm(join(at.root, "d0/f0"));
  const work = await picture(at.root);
  const place = await at.worktrees.create(at.project, { title: "work" });
  const counts = { kills: roundsOf(CARRY_KILLS_FULL), before: 0, cutOff: 0, after: 0 };
  for (let round = 0; round < counts.kills; round++) {
    const child = Bun.spawn([process.execPath, PROGRAM, at.dir.path, at.root, "carry", place.worktreeId], {
      stdout: "pipe",
      stderr: "inherit",
    });
    for await (const chunk of child.stdout) if (Buffer.from(chunk).includes("starting")) break;
    // From the first changed file on, or at any time.
    if (random.fraction() < 0.7)
      while (existsSync(join(place.path, "d0/f0")) && child.exitCode === null) await Bun.sleep(1);
    await Bun.sleep(random.between(0, random.fraction() < 0.5 ? 30 : CARRY_MS));
    const withGit = random.fraction() < 0.5 ? await childrenOf(child.pid) : [];
    child.kill("SIGKILL");
    for (const pid of withGit) killQuietly(pid);
    await child.exited;
    const left = git(place.path, "status", "--porcelain", "--untracked-files=all").split("\n").filter(Boolean).length;
    counts[left === 0 ? "before" : left === Object.keys(files).length + 1 ? "after" : "cutOff"] += 1;
    at.restart();
    await at.worktrees.carry(at.root, place.cwd, SessionId.parse("claude-code:one"));
    expect(await picture(place.path)).toEqual(work);
    expect(await picture(at.root)).toEqual(work);
    expect(await Array.fromAsync(new Bun.Glob("**/intent.json").scan({ cwd: at.dir.join("data") }))).toEqual([]);
    git(place.path, "checkout", "-q", "--", ".");
    git(place.path, "clean", "-qfd");
  }
  console.log(`kill -9 while carrying: ${JSON.stringify(counts)}, 0 lost, 0 refused`);
});

/** The worktree that a step needs, with work in it, in the state that it needs. */
async function prepare(at: Scene, step: Step, known: WorktreePlace | null): Promise<WorktreePlace | null> {
  if (step === "create") return known;
  const place = known ?? (await at.worktrees.create(at.project, { title: "work", carry: true }));
  if (known === null) await write(place.path, { "only/here.txt": "work\n", ".env": "KEY=mine\n" });
  const isRemoved = existsSync(quarantineOf(place));
  if (step === "remove" && isRemoved) await at.worktrees.bringBack(place.worktreeId);
  if (step !== "remove" && !isRemoved) await at.worktrees.remove(place.worktreeId);
  return place;
}

async function isAsAfter(at: Scene, step: Step, place: WorktreePlace | null): Promise<boolean> {
  const listed = await at.worktrees.list(at.project);
  if (step === "create") return listed.length > (place === null ? 0 : 1);
  const status = listed.find(({ worktreeId }) => worktreeId === place?.worktreeId)?.status;
  return status === { remove: "removed", return: "ready", purge: undefined }[step];
}

async function directoriesOf(at: Scene): Promise<string[]> {
  const inside = async (name: string) => readdir(at.dir.join("trees", name)).catch(() => []);
  return [...(await inside("My-Project")), ...(await inside(".quarantine"))].sort();
}

async function registeredOf(at: Scene): Promise<string[]> {
  return (await readdir(join(at.root, ".git/worktrees")).catch(() => [])).sort();
}

/** Git and what it runs. */
async function childrenOf(pid: number): Promise<number[]> {
  const parents = new Map<number, number>();
  for (const name of (await readdir("/proc")).filter((one) => /^\d+$/.test(one))) {
    const stat = await readFile(`/proc/${name}/stat`, "utf8").catch(() => "");
    parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]));
  }
  const found = [pid];
  for (const parent of found) for (const [id, of] of parents) if (of === parent) found.push(id);
  return found.slice(1);
}

function killQuietly(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if (!(error instanceof Error) || Reflect.get(error, "code") !== "ESRCH") throw error;
  }
}
