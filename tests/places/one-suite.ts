import { expect } from "bun:test";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CONTRACT_VERSIONS } from "../../src/places/contract.ts";
import type { PlaceLink } from "../../src/places/place-link.ts";
import { ProjectId, SessionId, TurnId } from "../../src/protocol/ids.ts";
import { pathThere } from "../../src/protocol/place-path.ts";
import { git } from "../workspace/git-scene.ts";
import { ECHO, type Machine, talkThroughCuts, workspaceOf } from "./machine.ts";

/** What every place has, however it is reached: agents and files, also while it is cut. `cut` ends its runner. */
export async function carriesAgents(at: Machine, link: PlaceLink, cut?: (pid: number) => void): Promise<void> {
  expect(await link.check()).toMatchObject({ version: CONTRACT_VERSIONS[0], home: at.home });
  expect(await link.ask({ type: "directory:find", path: "~" })).toEqual({ path: at.home });
  await talkThroughCuts(at, link, cut);
  const agent = at.start(link, "two", "/bin/sh", "-c", `echo in "$HOME"; ${ECHO}`);
  await at.said(`in ${at.home}`);
  expect(await agent.stop()).toMatchObject({ code: 0 });
}

/** The same of changes, checkpoints and terminals. */
export async function hasWorkspace(at: Machine, link: PlaceLink): Promise<void> {
  const { workdirs, terminals } = workspaceOf(link);
  const cwd = join(at.home, "app");
  mkdirSync(cwd);
  git(cwd, "init", "-q");
  const place = { sessionId: SessionId.parse("builtin:one"), cwd };
  await workdirs.turnStarts(place, TurnId.parse("t1"));
  writeFileSync(join(cwd, "new.txt"), "new\n");
  expect(await workdirs.turnEnded(place, TurnId.parse("t1"), [])).toMatchObject({ total: 1 });
  const { version, files } = await workdirs.changes(place, { kind: "unreviewed" });
  expect(files).toMatchObject([{ path: "new.txt", status: "added" }]);
  await workdirs.decide(place, { kind: "discard", scope: { kind: "unreviewed" }, items: null, expect: version });
  expect(existsSync(join(cwd, "new.txt"))).toBe(false);

  const project = { projectId: ProjectId.parse("p"), worktreeId: null, cwd, title: "", env: {} };
  const command = ["/bin/sh", "-c", 'read -r line; echo "got $line"; exit 3'];
  const { terminalId } = await terminals.open({ ...project, kind: "shell", command });
  let shown = "";
  const ended = Promise.withResolvers<number | null>();
  await terminals.attach(terminalId, null, {
    onOutput: ({ bytes }) => {
      shown += new TextDecoder().decode(bytes);
    },
    onEnd: ended.resolve,
  });
  terminals.input(terminalId, "words\r");
  expect(await ended.promise).toBe(3);
  expect(shown).toContain("got words");
  expect(await terminals.close(terminalId)).toBe(true);
}

/** And of worktrees: an agent writes in one there, and its work gets into the base there. */
export async function hasWorktrees(at: Machine, link: PlaceLink): Promise<void> {
  const { worktrees, merging, radar } = workspaceOf(link);
  const root = join(at.home, "shop");
  mkdirSync(root);
  git(root, "init", "-q", "-b", "main");
  git(root, "config", "user.name", "The User");
  git(root, "config", "user.email", "user@example.org");
  writeFileSync(join(root, "a.txt"), "1\n");
  git(root, "add", "-A");
  git(root, "commit", "-qm", "first");
  const project = { id: ProjectId.parse("shop"), path: `box:${root}`, name: "shop", addedAt: "" };
  const [fix, docs] = [
    await worktrees.create(project, { title: "Fix" }),
    await worktrees.create(project, { title: "Docs" }),
  ];
  for (const [place, words] of [[fix, "fixed"] as const, [docs, "described"] as const]) {
    at.cwd = pathThere(place.cwd);
    const agent = at.start(link, place.name, "/bin/sh", "-c", `echo ${words} > a.txt; echo ${words}; cat >/dev/null`);
    await at.said(words);
    await agent.stop();
  }
  radar.touched(project);
  await radar.settled(project);
  expect((await radar.known(project)).map(([, { state }]) => state)).toEqual(["overlap", "overlap"]);
  const { uncommitted } = await merging.preview(project, fix, "main", null);
  await merging.commit(fix, { message: "Fix it", expect: uncommitted?.expect ?? "" });
  const preview = await merging.preview(project, fix, "main", null);
  const { commit } = await merging.merge(project, fix, {
    ...{ into: "main", how: "merge", message: null },
    expect: preview.expect,
  });
  expect(git(root, "rev-parse", "main").trim()).toBe(commit);
  await worktrees.remove(docs.worktreeId);
  expect(existsSync(pathThere(docs.path))).toBe(false);
  await worktrees.bringBack(docs.worktreeId);
  expect(readFileSync(join(pathThere(docs.path), "a.txt"), "utf8")).toBe("described\n");
}
