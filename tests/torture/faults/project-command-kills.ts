import { existsSync, readFileSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Worktree } from "../../../src/protocol/worktrees.ts";
import { waitFor } from "../../support/wait-for.ts";
import { git, write } from "../../workspace/git-scene.ts";
import type { Workshop } from "../scene/workshop.ts";
import { cutOff } from "./cut-off.ts";
import { type Fault, outcomeOf } from "./fault.ts";

const STEPS = 30;
const STEP_SECONDS = 0.02;
const RUNS_MS = 800;

/** Writes a line for each step, so that one that was cut off is known by what is missing. */
const stepping = (file: string) =>
  `rm -f ${file}; for n in $(seq ${STEPS}); do echo $n >> ${file}; sleep ${STEP_SECONDS}; done`;

/**
 * `kill -9` of the server while the setup of a worktree runs, and again while its teardown does: both are told as they
 * ended, the worktree is there or removed, and nothing is stuck. In a project of its own, which goes again.
 */
export const projectCommandKill: Fault = {
  name: "project-command-kill",
  async inject(world) {
    const { scene, random } = world;
    const workshop = await scene.workshop();
    const root = join(scene.dirs.root, `prepared-${random.between(1, 1_000_000)}`);
    const torn = join(scene.dirs.root, "torn-down");
    await makeRepository(root, { setup: stepping("prepared"), teardown: stepping(torn) });
    const { project } = await workshop.ask("project:added", { type: "project:add", path: root });
    const list = async (): Promise<Worktree | undefined> => {
      const { worktrees } = await workshop.ask("worktree:list", { type: "worktree:list", projectId: project.id });
      return worktrees[0];
    };
    const made = await workshop.createIn(project.id);
    const breaches: string[] = [];
    const asked = await list();
    if (made.type !== "session:created" || asked?.setup.hash === undefined)
      return { breaches: [`no worktree whose setup asks: ${JSON.stringify(made)} ${JSON.stringify(asked)}`] };
    const { worktreeId, name, path } = asked;
    const { hash } = asked.setup;
    await cutOff(world, workshop, {
      run: () => workshop.attempt({ type: "worktree:setup", worktreeId, hash }),
      hasBegun: () => existsSync(join(path, "prepared")),
      stepMs: RUNS_MS,
    });
    const setup = await waitFor(list, (now) => now?.setup.state !== "running", "the end of the setup");
    const isPrepared = stepsIn(join(path, "prepared")) === STEPS;
    if (setup?.status !== "ready") breaches.push(`after a setup that was cut off, ${name} is ${setup?.status}`);
    if ((setup?.setup.state === "done") !== isPrepared)
      breaches.push(`a setup is told as ${setup?.setup.state}, and made ${stepsIn(join(path, "prepared"))} steps`);

    const remove = { type: "worktree:remove", worktreeId } as const;
    const answer = await cutOff(world, workshop, {
      run: () => workshop.attempt(remove),
      hasBegun: () => existsSync(torn),
      stepMs: RUNS_MS,
    });
    const status = (await list())?.status;
    if (status !== "ready" && status !== "removed") breaches.push(`after a teardown that was cut off, it is ${status}`);
    if (answer.type === "ok" && status !== "removed") breaches.push(`it was removed, and is ${status}`);
    // A teardown that failed refuses a removal once.
    for (let tries = 0; tries < 2 && (await list())?.status === "ready"; tries++) await workshop.attempt(remove);
    if ((await list())?.status !== "removed") breaches.push(`${name} cannot be removed any more`);
    await leave(workshop, { worktreeId, name }, made.sessionId);
    await workshop.ask("project:removed", { type: "project:remove", projectId: project.id });
    await rm(root, { recursive: true, force: true });
    await rm(torn, { force: true });
    return outcomeOf(breaches);
  },
};

async function makeRepository(root: string, commands: Readonly<Record<"setup" | "teardown", string>>): Promise<void> {
  await mkdir(root);
  git(root, "init", "-q", "-b", "main");
  git(root, "config", "user.name", "The User");
  git(root, "config", "user.email", "user@example.org");
  await write(root, { "a.txt": "a\n", ".gitignore": "prepared\n", "liminal.json": JSON.stringify(commands) });
  git(root, "add", "-A");
  git(root, "commit", "-qm", "first");
}

async function leave(
  workshop: Workshop,
  { worktreeId, name }: Pick<Worktree, "worktreeId" | "name">,
  sessionId: Parameters<Workshop["stateOf"]>[0],
): Promise<void> {
  const { terminals } = await workshop.ask("terminal:list", { type: "terminal:list" });
  for (const { terminalId, worktreeId: at } of terminals)
    if (at === worktreeId) await workshop.ask("ok", { type: "terminal:close", terminalId });
  await workshop.ask("ok", { type: "worktree:purge", worktreeId, name });
  await workshop.ask("session:archived", { type: "session:archive", sessionId });
}

function stepsIn(file: string): number {
  return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n").length : 0;
}
