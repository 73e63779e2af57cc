import { describe, expect, it } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { ConflictRadar, Merging, WorktreePlace, Worktrees } from "../../src/ports/worktrees.ts";
import { RefusalError } from "../../src/protocol/errors.ts";
import { ProjectId, SessionId } from "../../src/protocol/ids.ts";
import { pathThere } from "../../src/protocol/place-path.ts";
import type { Project } from "../../src/protocol/server-messages.ts";
import { placeOfWorktree } from "../../src/protocol/worktree-ref.ts";
import { LocalMerging } from "../../src/workspace/merging/merging.ts";
import { LocalConflictRadar } from "../../src/workspace/merging/radar.ts";
import { waitFor } from "../support/wait-for.ts";
import { git, picture, write } from "../workspace/git-scene.ts";
import { openWorktrees, USER_ENV } from "../workspace/worktree-scene.ts";
import { machine, workspaceOf } from "./machine.ts";

const STORY_TIMEOUT_MS = 120_000;
const SESSION = SessionId.parse("builtin:one");

interface Parts {
  readonly worktrees: Worktrees;
  readonly merging: Merging;
  readonly radar: ConflictRadar;
}

const raise = (error: unknown) => {
  throw error;
};
const refusal = (promise: Promise<unknown>) =>
  promise.then(
    () => "no refusal",
    (error: unknown) => (error instanceof RefusalError ? error.message : raise(error)),
  );

async function repository(root: string, files: Record<string, string>): Promise<void> {
  await mkdir(root, { recursive: true });
  git(root, "init", "-q", "-b", "main");
  git(root, "config", "user.name", "The User");
  git(root, "config", "user.email", "user@example.org");
  await write(root, files);
  git(root, "add", "-A");
  git(root, "commit", "-qm", "first");
}

const projectAt = (path: string): Project => ({ id: ProjectId.parse("p-1"), path, name: "app", addedAt: "" });

/** The whole life of worktrees, and what is said and left behind. Names end with characters of chance. */
async function story({ worktrees, merging, radar }: Parts, project: Project): Promise<unknown[]> {
  const root = pathThere(project.path);
  const said: unknown[] = [];
  const plain = (text: string) => text.replaceAll(/(fix|docs)-[a-z0-9]{4}/g, "$1");
  const statuses = async () =>
    (await worktrees.list(project)).map(({ name, status, branch, base }) => [
      plain(name),
      status,
      branch && plain(branch),
      base,
    ]);
  said.push(await worktrees.options(project));
  const fix = await worktrees.create(project, { title: "Fix", carry: true, madeFor: "command-1" });
  const docs = await worktrees.create(project, { title: "Docs" });
  said.push(plain(fix.name), plain(fix.branch), fix.carriedFiles, await picture(pathThere(fix.path)));
  expect([await worktrees.madeFor(project, "command-1"), await worktrees.find(fix.worktreeId)]).toEqual([
    expect.objectContaining({ worktreeId: fix.worktreeId, path: fix.path, cwd: fix.cwd }),
    expect.objectContaining({ worktreeId: fix.worktreeId }),
  ]);

  // Two agents change the same line.
  await write(pathThere(fix.cwd), { "a.txt": "1\nfixed\n3\n" });
  await write(pathThere(docs.cwd), { "a.txt": "1\ndescribed\n3\n", "docs.md": "# Docs\n" });
  radar.touched(project);
  await radar.settled(project);
  const known = new Map(await radar.known(project));
  const overlaps = ({ worktreeId }: WorktreePlace) =>
    known.get(worktreeId)?.overlaps.map((one) => [one.kind, one.paths, one.with && plain(one.with.name)]);
  expect(known.get(fix.worktreeId)?.overlaps[0]?.with?.worktreeId).toBe(docs.worktreeId);
  said.push(overlaps(fix), overlaps(docs));

  // One gets back to the base.
  const seen = await merging.preview(project, docs, "main", null);
  said.push(
    seen.uncommitted?.paths,
    seen.into,
    seen.result,
    seen.targets.map(plain),
    await refusal(merging.commit(docs, { message: "Stale", expect: "0" })),
  );
  const committed = await merging.commit(docs, { message: "Describe it", expect: seen.uncommitted?.expect ?? "" });
  expect(git(pathThere(docs.path), "rev-parse", "HEAD").trim()).toBe(committed.commit);
  await worktrees.moved(project);
  const blocked = await merging.preview(project, docs, "main", "main");
  expect(blocked.checkout ?? project.path).toBe(project.path);
  said.push(blocked.result, blocked.files, blocked.inTheWay, blocked.worktreeId === docs.worktreeId);
  const merge = { into: "main", how: "squash", message: "Bring it in", expect: blocked.expect } as const;
  const { commit } = await merging.merge(project, docs, merge);
  expect(git(root, "rev-parse", "main").trim()).toBe(commit);
  said.push(git(root, "log", "--format=%s %an", "main"), git(root, "status", "--porcelain"));
  const publish = await merging.publishPreview(project, docs, { title: "Docs", body: "", into: null });
  said.push(publish.remote, publish.reason, publish.worktreeId === docs.worktreeId);

  // The other one waits in quarantine and comes back as it was.
  const before = await picture(pathThere(fix.path), []);
  await worktrees.remove(fix.worktreeId);
  said.push(existsSync(pathThere(fix.path)), await worktrees.find(fix.worktreeId), await statuses());
  await worktrees.bringBack(fix.worktreeId);
  expect(await picture(pathThere(fix.path), [])).toEqual(before);
  said.push(await refusal(worktrees.purge(fix.worktreeId)), await statuses());
  await worktrees.remove(docs.worktreeId);
  await worktrees.purge(docs.worktreeId);
  said.push(await refusal(worktrees.remove(docs.worktreeId)), await refusal(worktrees.repair(docs.worktreeId)));
  // Work goes from one directory to another one.
  const third = await worktrees.create(project, { title: "Docs", base: "main" });
  await write(pathThere(third.path), { "new.txt": "new\n" });
  git(root, "checkout", "-qf", "main");
  git(root, "clean", "-qfd");
  said.push(await worktrees.carry(third.cwd, project.path, SESSION), git(root, "status", "--porcelain"));
  return said;
}

describe("worktrees at a place", () => {
  it(
    "[SC-33] [WS-32] [WS-33] [WS-35] [WS-36] [WS-38] are made, watched, merged, removed and brought back there as on this machine",
    async () => {
      await using at = await machine();
      const files = { "a.txt": "1\n2\n3\n", ".gitignore": ".env\n", ".worktreeinclude": ".env\n" };
      const [here, there] = [join(at.home, "here"), join(at.home, "there")];
      for (const root of [here, there]) {
        await repository(root, files);
        await write(root, { ".env": "KEY=1\n", "mine.txt": "not committed\n" });
      }
      const { worktrees, errors } = openWorktrees(at.home);
      const merging = new LocalMerging({ root: join(at.home, "data/merges"), env: USER_ENV });
      const radar = new LocalConflictRadar({
        world: { now: Date.now, newId: () => crypto.randomUUID() },
        root: join(at.home, "data/radar"),
        listWorktrees: async (project) => (await worktrees.list(project)).filter(({ isOurs }) => isOurs),
        onError: raise,
      });
      const said = await story(workspaceOf(at.link()), projectAt(`box:${there}`));
      expect(said).toEqual(await story({ worktrees, merging, radar }, projectAt(here)));
      expect(errors).toEqual([]);
      expect(readdirSync(join(at.home, ".liminal-worktrees")).sort()).toEqual([".quarantine", "app"]);
      expect(readdirSync(join(at.home, ".liminal-runner/server-1/worktrees"))).toHaveLength(2);
    },
    STORY_TIMEOUT_MS,
  );

  it("[SC-33] [WS-31] have ids of their place, and none reaches those of another machine", async () => {
    await using at = await machine();
    const root = join(at.home, "app");
    await repository(root, { "a.txt": "a\n" });
    git(root, "worktree", "add", "-q", join(at.home, "by-hand"), "-b", "by-hand");
    const { worktrees } = workspaceOf(at.link());
    const project = projectAt(`box:${root}`);
    const { worktreeId, path, cwd } = await worktrees.create(project, { title: "Fix" });
    expect([placeOfWorktree(worktreeId), path, cwd]).toEqual([
      "box",
      expect.stringContaining(`box:${at.home}/.liminal-worktrees/app/fix-`),
      path,
    ]);
    const listed = await worktrees.list(project);
    expect(listed.map((one) => [placeOfWorktree(one.worktreeId), one.isOurs, one.name.slice(0, 3)])).toEqual([
      ["box", true, "fix"],
      ["box", false, "by-"],
    ]);
    for (const { worktreeId: other } of listed.filter(({ isOurs }) => !isOurs))
      expect(await refusal(worktrees.remove(other))).toContain("was not made here");
  });

  it(
    "[SC-33] [SC-27] [WS-16] [WS-28] one that is cut off while it is made leaves nothing, and is not made again by itself",
    async () => {
      await using at = await machine();
      const root = join(at.home, "app");
      await repository(root, { "a.txt": "a\n", ".gitattributes": "slow.txt filter=slow\n", "slow.txt": "slow\n" });
      const [begun, go] = [join(at.home, "begun"), join(at.home, "go")];
      git(root, "config", "filter.slow.smudge", `touch ${begun}; while [ ! -e ${go} ]; do sleep 0.05; done; cat`);
      const { worktrees } = workspaceOf(at.link());
      const project = projectAt(`box:${root}`);
      const making = refusal(worktrees.create(project, { title: "Fix", madeFor: "command-1" }));
      await waitFor(() => existsSync(begun), Boolean, "Git to write the files");
      let told = 0;
      using _listening = worktrees.onChanged(() => told++);
      process.kill(at.runnerPid, "SIGKILL");
      expect(await making).toBe("The connection to box was lost. Look at the list of worktrees before you repeat it.");
      await Bun.write(go, "");
      // Whoever asks next has a runner that undoes it.
      await waitFor(
        () => worktrees.list(project),
        (listed) => listed.length === 0,
        "nothing to be left of it",
      );
      expect(await worktrees.madeFor(project, "command-1")).toBeNull();
      expect(told).toBeGreaterThan(0);
      expect(git(root, "worktree", "list").trim().split("\n")).toHaveLength(1);
      expect(git(root, "branch", "--format=%(refname:short)").trim()).toBe("main");
      expect(readdirSync(join(at.home, ".liminal-worktrees"))).toEqual([]);
      const again = await worktrees.create(project, { title: "Fix" });
      expect(await picture(pathThere(again.path))).toEqual(await picture(root));
    },
    STORY_TIMEOUT_MS,
  );

  it("[SC-33] [SC-27] [WS-38] after a cut the radar knows nothing, says so, and looks again by itself", async () => {
    await using at = await machine();
    const root = join(at.home, "app");
    await repository(root, { "a.txt": "1\n" });
    const { worktrees, radar, terminals } = workspaceOf(at.link());
    const project = projectAt(`box:${root}`);
    const [one, other] = [
      await worktrees.create(project, { title: "One" }),
      await worktrees.create(project, { title: "Other" }),
    ];
    await write(pathThere(one.path), { "a.txt": "one\n" });
    await write(pathThere(other.path), { "a.txt": "other\n" });
    const states = async () => (await radar.known(project)).map(([, { state }]) => state);
    radar.touched(project);
    await radar.settled(project);
    expect(await states()).toEqual(["overlap", "overlap"]);
    // Somebody has a terminal there, so that the connection comes back by itself.
    const shell = { kind: "shell", title: "", command: null, env: {} } as const;
    await terminals.open({ ...shell, projectId: project.id, worktreeId: one.worktreeId, cwd: pathThere(one.cwd) });
    const told: string[] = [];
    using _listening = radar.onChanged((id) => told.push(id));
    process.kill(at.runnerPid, "SIGKILL");
    await waitFor(states, (now) => now.join() === "overlap,overlap", "the radar to look again");
    expect(told).toContain(project.id);
    expect(terminals.list().map(({ worktreeId }) => worktreeId)).toEqual([one.worktreeId]);
    await terminals.stop();
  });

  it("[SC-30] with a runner of an earlier release there are none, in one sentence, and everything else works", async () => {
    await using at = await machine();
    const root = join(at.home, "app");
    await repository(root, { "a.txt": "a\n" });
    const { worktrees, radar, workdirs, commands } = workspaceOf(at.link({ versions: [2] }));
    const project = projectAt(`box:${root}`);
    const words =
      /^The place box has release \S+ of Liminal Builder, which has neither worktrees nor services\. Install the server's release there\.$/;
    expect((await worktrees.options(project)).unavailable).toMatch(words);
    expect(await refusal(worktrees.create(project, { title: "Fix" }))).toMatch(words);
    expect(await refusal(commands.read(`box:${root}`))).toMatch(words);
    radar.touched(project);
    await radar.settled(project);
    expect(await radar.known(project)).toEqual([]);
    const place = { sessionId: SESSION, cwd: root };
    expect(await workdirs.checkpoints(place)).toEqual([]);
    expect(existsSync(join(at.home, ".liminal-worktrees"))).toBe(false);
  });
});
