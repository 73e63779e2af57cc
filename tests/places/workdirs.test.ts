import { describe, expect, it } from "bun:test";
import { existsSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { PlaceLink } from "../../src/places/place-link.ts";
import type { SessionPlace, Workdirs } from "../../src/ports/workdirs.ts";
import type { ChangesScope, ChangesState } from "../../src/protocol/changes.ts";
import { RefusalError } from "../../src/protocol/errors.ts";
import { SessionId, TurnId } from "../../src/protocol/ids.ts";
import { LocalWorkdirs } from "../../src/workspace/workdirs.ts";
import { waitFor } from "../support/wait-for.ts";
import { git, picture, write } from "../workspace/git-scene.ts";
import { ECHO, type Machine, machine, workspaceOf } from "./machine.ts";

const STORY_TIMEOUT_MS = 120_000;
const SESSION = SessionId.parse("builtin:one");
const UNREVIEWED: ChangesScope = { kind: "unreviewed" };

const raise = (error: unknown) => {
  throw error;
};
const refusal = (promise: Promise<unknown>) =>
  promise.then(
    () => "no refusal",
    (error: unknown) => (error instanceof RefusalError ? `${error.refusal.code} ${error.message}` : raise(error)),
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

const workdirsOf = (link: PlaceLink) => workspaceOf(link).workdirs;

/** A turn of an agent that changes files. */
async function turn(workdirs: Workdirs, place: SessionPlace, id: string, change: Record<string, string>) {
  await workdirs.turnStarts(place, TurnId.parse(id));
  await write(place.cwd, change);
  return workdirs.turnEnded(place, TurnId.parse(id), Object.keys(change));
}

const told = ({ files, total, head, cutOff, decisions, prefix }: ChangesState) => ({
  files,
  total,
  branch: head?.branch,
  cutOff,
  decisions: decisions.map(({ kind, files: count, path }) => ({ kind, count, path })),
  prefix,
});

/** Everything a user does about the changes of a session, and what is said and left behind. */
async function story(workdirs: Workdirs, root: string): Promise<unknown[]> {
  const place = { sessionId: SESSION, cwd: root };
  const said: unknown[] = [];
  const changed = await turn(workdirs, place, "t1", { "a.txt": "1\n2\nthree\n", "new/ä.txt": "new\n" });
  said.push(changed?.files, changed?.total, await workdirs.openCounts(place), await workdirs.prefixOf(root));
  let state = await workdirs.changes(place, UNREVIEWED);
  said.push(told(state));
  const { patch } = await workdirs.patch(place, UNREVIEWED, { path: "a.txt", whole: false });
  said.push(patch.kind === "text" ? patch.hunks.map(({ oldLines, newLines }) => ({ oldLines, newLines })) : patch);
  said.push(
    await workdirs.decide(place, {
      kind: "discard",
      scope: UNREVIEWED,
      items: [{ path: "new/ä.txt" }],
      expect: state.version,
    }),
    await picture(root),
  );
  state = await workdirs.changes(place, UNREVIEWED);
  said.push(await workdirs.undo(place, state.decisions[0]?.undoId ?? ""), await picture(root));
  const [, before] = await workdirs.checkpoints(place).then((all) => [...all].reverse().map((one) => one.checkpointId));
  const [first] = (await workdirs.checkpointsIn(place)).filter(({ phase }) => phase === "before");
  if (!first || !before) throw new Error("the turn has its checkpoints");
  const preview = await workdirs.previewRestore(place, first.checkpointId);
  said.push(preview.own);
  const restored = await workdirs.restore(place, {
    checkpointId: first.checkpointId,
    paths: null,
    expect: preview.version,
  });
  said.push(restored.paths, await picture(root));
  said.push(await refusal(workdirs.restore(place, { checkpointId: first.checkpointId, paths: null, expect: "0" })));
  said.push(await workdirs.undo(place, restored.undoId), await picture(root));
  state = await workdirs.changes(place, UNREVIEWED);
  await workdirs.setViewed(place, { path: "a.txt", expect: state.version, viewed: true });
  const viewed = await workdirs.changes(place, UNREVIEWED);
  said.push(viewed.files.map((file) => [file.path, file.viewed]));
  await workdirs.commit(place, { items: [{ path: "a.txt" }], message: "By the user", expect: viewed.version });
  said.push(git(root, "log", "--format=%s %an"), git(root, "status", "--porcelain"));
  const old = await workdirs.read(root, { path: "a.txt", at: first.checkpointId, from: 0, bytesMax: 100 });
  said.push(old.content, await workdirs.list(root, "", 10), await workdirs.busySessions(place));
  return said;
}

describe("changes at a place", () => {
  it(
    "[SC-26] [SC-33] are shown, discarded, restored, undone and committed there as on this machine",
    async () => {
      await using at = await machine();
      const files = { "a.txt": "1\n2\n3\n", "b.txt": "b\n" };
      const [here, there] = [join(at.home, "here"), join(at.home, "there")];
      await Promise.all([repository(here, files), repository(there, files)]);
      const local = new LocalWorkdirs({
        world: { now: Date.now, newId: () => crypto.randomUUID() },
        root: join(at.home, "vaults"),
        isOn: true,
        vaultBytesMax: Number.MAX_SAFE_INTEGER,
        editor: { command: null, env: {} },
        env: { PATH: process.env["PATH"] ?? "", HOME: at.home },
        onError: raise,
      });
      expect(await story(workdirsOf(at.link()), there)).toEqual(await story(local, here));
      expect(readdirSync(join(at.home, ".liminal-runner/server-1/vaults"))).not.toEqual([]);
    },
    STORY_TIMEOUT_MS,
  );

  it("[SC-33] leave out what is ours there, where a home is a repository", async () => {
    await using at = await machine();
    git(at.home, "init", "-q");
    // Where a source is started, Bun keeps something, too.
    writeFileSync(join(at.home, ".git/info/exclude"), ".bun/\n");
    const link = at.link();
    const workdirs = workdirsOf(link);
    const place = { sessionId: SESSION, cwd: at.home };
    await workdirs.turnStarts(place, TurnId.parse("t1"));
    const agent = at.start(link, "one", "/bin/sh", "-c", `echo new > file.txt; ${ECHO}`);
    await at.said("ready");
    expect(readdirSync(join(at.home, ".liminal-runner/server-1/h"))).not.toEqual([]);
    await workdirs.turnEnded(place, TurnId.parse("t1"), []);
    const { version, files } = await workdirs.changes(place, UNREVIEWED);
    expect(files.map(({ path }) => path)).toEqual(["file.txt"]);
    await workdirs.decide(place, { kind: "discard", scope: UNREVIEWED, items: null, expect: version });
    expect(existsSync(join(at.home, "file.txt"))).toBe(false);
    // What runs there does not notice.
    agent.write("again");
    await at.said("got again");
    await agent.stop();
  });

  it("[SC-33] files are listed and read there; nothing outside the directory is", async () => {
    await using at = await machine();
    const root = join(at.home, "app");
    await repository(root, { "src/main.ts": "export {};\n", "b.txt": "b\n" });
    writeFileSync(join(at.home, "secret"), "no");
    symlinkSync(join(at.home, "secret"), join(root, "link"));
    await write(root, { "b.txt": "changed\n" });
    const workdirs = workdirsOf(at.link());
    const { entries } = await workdirs.list(root, "", 10);
    expect(entries.map(({ name, kind, status }) => [name, kind, status])).toEqual([
      ["src", "directory", undefined],
      ["b.txt", "file", "modified"],
      ["link", "link", "added"],
    ]);
    const piece = { at: null, from: 2, bytesMax: 4 };
    expect(await workdirs.read(root, { ...piece, path: "b.txt" })).toMatchObject({ content: "ange", next: 6 });
    for (const path of ["link", "../secret", "no-such-file"])
      expect(await refusal(workdirs.read(root, { ...piece, path }))).toStartWith("FILE_");
    expect(await refusal(workdirs.edit())).toContain("editor at another machine is not possible yet");
  });

  it(
    "[SC-27] [SC-29] a restore that is cut off with its runner can be put back or finished: nothing of the user's is lost",
    async () => {
      await using at = await machine();
      const root = join(at.home, "app");
      const filled = (text: string) =>
        Object.fromEntries(Array.from({ length: 400 }, (_, n) => [`d${n % 20}/f${n}.txt`, `${text} ${n}\n`]));
      await repository(root, filled("a"));
      const workdirs = workdirsOf(at.link());
      const place = { sessionId: SESSION, cwd: root };
      const old = await picture(root);
      await turn(workdirs, place, "t1", filled("b"));
      const work = await picture(root);
      const [first] = (await workdirs.checkpoints(place)).filter(({ phase }) => phase === "before");
      if (!first) throw new Error("the turn has its checkpoint");
      for (const way of ["put-back", "finish"] as const) {
        const { version } = await workdirs.previewRestore(place, first.checkpointId);
        let isOver = false;
        const restore = { checkpointId: first.checkpointId, paths: null, expect: version };
        const restoring = refusal(workdirs.restore(place, restore)).finally(() => {
          isOver = true;
        });
        // It is written just before the first file is touched, and gone after the last one.
        while (!hasIntent(at) && !isOver) await Bun.sleep(1);
        process.kill(at.runnerPid, "SIGKILL");
        const lost = "The connection to box was lost. Look at the changes before you repeat it.";
        expect(["no refusal", `PROJECT_PATH_INVALID ${lost}`]).toContain(await restoring);
        const { cutOff } = await workdirs.changes(place, UNREVIEWED);
        // The kill may come after its last file: then nothing is cut off, and all files are as restored.
        if (cutOff) await workdirs.settle(place, way);
        else expect(await picture(root)).toEqual(old);
        expect(await picture(root)).toEqual(cutOff && way === "put-back" ? work : old);
        await write(root, filled("b"));
        expect(await picture(root)).toEqual(work);
      }
    },
    STORY_TIMEOUT_MS,
  );

  it("[SC-27] a turn that ended while the connection was cut gets its checkpoint when it is back", async () => {
    await using at = await machine();
    const root = join(at.home, "app");
    await repository(root, { "a.txt": "a\n" });
    const workdirs = workdirsOf(at.link());
    const place = { sessionId: SESSION, cwd: root };
    await workdirs.turnStarts(place, TurnId.parse("t1"));
    process.kill(at.runnerPid, "SIGKILL");
    await write(root, { "a.txt": "b\n" });
    // The next runner has to know that a turn runs there.
    await waitFor(
      () => workdirs.busySessions(place).catch(() => []),
      (busy) => busy.length === 1,
      "the running turn",
    );
    process.kill(at.runnerPid, "SIGKILL");
    expect(await workdirs.turnEnded(place, TurnId.parse("t1"), [])).toMatchObject({
      files: [{ path: "a.txt", status: "modified" }],
      isLate: false,
    });
  });

  it("[SC-27] viewers are notified of changes, also after the connection was cut", async () => {
    await using at = await machine();
    const root = join(at.home, "app");
    await repository(root, { "a.txt": "a\n" });
    const workdirs = workdirsOf(at.link());
    const place = { sessionId: SESSION, cwd: root };
    const connections = () => at.standings.filter(({ state }) => state === "connected").length;
    /** For each notification, the connection that it came with: what an earlier one has sent may be read late. */
    const told: number[] = [];
    using _listening = workdirs.onChanged((sessionId) => {
      if (sessionId === SESSION) told.push(connections());
    });
    await workdirs.changes(place, UNREVIEWED);
    using _watch = workdirs.watch(place);
    await workdirs.busySessions(place);
    await turn(workdirs, place, "t1", { "a.txt": "b\n" });
    const untilTold = (what: string, isTold: () => boolean) => waitFor(isTold, Boolean, what);
    await untilTold("the change", () => told.length > 0);
    const { runnerPid } = at;
    process.kill(runnerPid, "SIGKILL");
    await untilTold("the connection to be back", () => told.includes(2));
    expect(at.runnerPid).not.toBe(runnerPid);
    const again = told.length;
    await turn(workdirs, place, "t2", { "a.txt": "c\n" });
    await untilTold("the change after the cut", () => told.length > again);
  });

  it("[SC-30] a runner of the release before still runs agents, and reports what it does not support", async () => {
    await using at = await machine();
    const root = join(at.home, "app");
    await repository(root, { "a.txt": "a\n" });
    const link = at.link({ versions: [1] });
    const workdirs = workdirsOf(link);
    expect(await link.check()).toMatchObject({ version: 1 });
    const agent = at.start(link, "one", "/bin/sh", "-c", "echo ready; cat >/dev/null");
    await at.said("ready");
    const place = { sessionId: SESSION, cwd: root };
    expect(await turn(workdirs, place, "t1", { "a.txt": "b\n" })).toBeNull();
    expect(await refusal(workdirs.changes(place, UNREVIEWED))).toMatch(
      /The place box has release \S+ of Liminal Builder, which runs agents only\. Install the server's release there\.$/,
    );
    expect(await agent.stop()).toMatchObject({ code: 0 });
  });
});

function hasIntent({ home }: Machine): boolean {
  const vaults = join(home, ".liminal-runner/server-1/vaults");
  return readdirSync(vaults).some((name) => existsSync(join(vaults, name, "intent.json")));
}
