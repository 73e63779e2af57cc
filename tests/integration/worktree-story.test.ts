import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Worktree } from "../../src/protocol/worktrees.ts";
import { COMMANDS_TIMEOUT_MS, liminal, liminalJson } from "../cli/liminal.ts";
import { startTestServer } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";
import { git, write } from "../workspace/git-scene.ts";
import { chunk, script, scriptedAgent } from "./scripted-agent.ts";
import { Talk } from "./talk.ts";

const doing = (command: string) => script({ shell: command }, chunk("done"), { end: "end_turn" });
const LINES = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
const LIMINAL_JSON = {
  setup: "echo $LIMINAL_BRANCH > setup.ignored",
  teardown: 'echo "$LIMINAL_BRANCH" >> "$LIMINAL_PROJECT/torn.ignored"',
  services: { hold: { command: "echo $$ > pid.ignored; exec sleep 1000" } },
};

test(
  "X-8 [WS-27] [WS-35] [WS-38] three agents in three worktrees: two conflict, one merges, the other brings the base in and merges, all are removed, and what is the user's stays",
  async () => {
    await using server = await startTestServer({ agents: { scripted: scriptedAgent() } });
    const client = await server.connect();
    const root = await server.directory("story");
    git(root, "init", "-q", "-b", "main");
    git(root, "config", "user.name", "User");
    git(root, "config", "user.email", "user@example.org");
    const committed = { "a.txt": LINES, "b.txt": "b\n", "c.txt": "c\n", ".gitignore": "*.ignored\n" };
    await write(root, { ...committed, "liminal.json": JSON.stringify(LIMINAL_JSON) });
    git(root, "add", "-A");
    git(root, "commit", "-qm", "first");
    // What the user has lying about: a stash, something staged, something not staged, something untracked.
    await writeFile(join(root, "b.txt"), "stashed\n");
    git(root, "stash", "push", "-q");
    await writeFile(join(root, "b.txt"), "staged\n");
    git(root, "add", "b.txt");
    await write(root, { "b.txt": "edited\n", "notes.txt": "mine\n" });
    const ofTheUser = async () => ({
      config: await readFile(join(root, ".git/config"), "utf8"),
      stash: git(root, "stash", "list", "--format=%H"),
      staged: git(root, "diff", "--cached"),
      status: git(root, "status", "--porcelain"),
      edited: await readFile(join(root, "b.txt"), "utf8"),
    });
    const before = await ofTheUser();
    const { project } = await client.ask("project:added", { type: "project:add", path: root });
    const projectId = project.id;
    const list = async () => (await client.ask("worktree:list", { type: "worktree:list", projectId })).worktrees;
    const untilListed = async (what: string, isReached: (worktrees: readonly Worktree[]) => boolean) => {
      const now = await list();
      if (isReached(now)) return now;
      const mark = client.mark();
      return (
        await client
          .next("worktree:list", ({ worktrees }) => isReached(worktrees), mark)
          .catch((error) => {
            throw new Error(`waited in vain for ${what}`, { cause: error });
          })
      ).worktrees;
    };

    // The user agrees to the setup once; it runs in every worktree.
    const options = await client.ask("worktree:options", { type: "worktree:options", projectId });
    expect(options.setup).toMatchObject({ state: "asks" });
    const begin = async (branch: string) => {
      const worktree = { create: { branch } };
      const request = { type: "session:create", projectId, cliType: "scripted", worktree } as const;
      const { sessionId, session } = await client.ask("session:created", request);
      await client.ask("session:history", { type: "session:open", sessionId });
      const worktreeId = session.worktree?.worktreeId;
      const path = (await list()).find((one) => one.worktreeId === worktreeId)?.path;
      if (worktreeId === undefined || path === undefined) throw new Error("no worktree");
      return Object.assign(new Talk(client, projectId, sessionId), { worktreeId, path, branch });
    };
    const one = await begin("one");
    const setup = { worktreeId: one.worktreeId, hash: options.setup.hash ?? "" };
    await client.ask("ok", { type: "worktree:setup", ...setup });
    const [two, three] = [await begin("two"), await begin("three")];
    await untilListed("all setups", (all) => all.length === 3 && all.every((each) => each.setup.state === "done"));
    for (const { path, branch } of [one, two, three])
      expect(await readFile(join(path, "setup.ignored"), "utf8")).toBe(`${branch}\n`);

    // Two agents change the same line, the third something else. One has committed, the others have not.
    await Promise.all([
      one.say(doing("sed -i 's/^1$/one/' a.txt && git commit -qam 'one'")),
      two.say(doing("sed -i 's/^1$/two/' a.txt")),
      three.say(doing("echo three > c.txt && git commit -qam 'three'")),
    ]);
    const radarOf = (all: readonly Worktree[], { worktreeId }: { worktreeId: string }) =>
      all.find((each) => each.worktreeId === worktreeId)?.radar;
    const warned = await untilListed("the warning", (all) =>
      [one, two].every((each) => radarOf(all, each)?.overlaps.some(({ kind }) => kind === "conflict")),
    );
    expect(radarOf(warned, two)?.overlaps).toMatchObject([{ with: { worktreeId: one.worktreeId }, paths: ["a.txt"] }]);
    expect(radarOf(warned, three)).toMatchObject({ state: "clean" });

    // A service of the user runs in one of them.
    const place = { projectId, worktreeId: one.worktreeId };
    const { services } = await client.ask("service:list", { type: "service:list", ...place });
    const hash = services[0]?.hash ?? "";
    await client.ask("service:list", { type: "service:start", ...place, name: "hold", hash });

    // The first merges, the second conflicts, brings the base in, and merges. The third goes last.
    const merge = (...words: string[]) => liminal(server, ["merge", ...words], { cwd: root });
    expect(await merge("one", "--yes")).toMatchObject({ code: 0 });
    await two.say(doing("git commit -qam 'two'"));
    const head = git(root, "rev-parse", "main");
    const refused = await liminalJson(server, ["merge", "two", "--yes"], { cwd: root });
    expect(refused).toMatchObject({ code: 1, value: { result: "conflicts", conflicts: [{ path: "a.txt" }] } });
    expect(git(root, "rev-parse", "main")).toBe(head);
    await two.say(doing("git merge main; sed -i '/^[<=>|]/d' a.txt && git commit -qam 'both'"));
    expect(await merge("two", "--yes")).toMatchObject({ code: 0 });
    expect(await merge("three", "--squash", "--message", "Third", "--yes")).toMatchObject({ code: 0 });
    const lines = (await readFile(join(root, "a.txt"), "utf8")).split("\n");
    expect(lines).toContain("one");
    expect(lines).toContain("two");
    expect(await readFile(join(root, "c.txt"), "utf8")).toBe("three\n");

    // All are removed: the service ends, the teardowns run, nothing is lost.
    const pid = await waitFor(
      async () => Number(await readFile(join(one.path, "pid.ignored"), "utf8").catch(() => "")),
      (found) => found > 0,
      "the service to run",
    );
    expect(isRunning(pid) || process.platform !== "linux").toBe(true);
    for (const { branch, path } of [one, two, three]) {
      const removed = await liminal(server, ["worktrees", "remove", branch], { cwd: root });
      expect(removed).toMatchObject({ code: 0 });
      expect(existsSync(path)).toBe(false);
    }
    expect(isRunning(pid)).toBe(false);
    expect(await readFile(join(root, "torn.ignored"), "utf8")).toBe("one\ntwo\nthree\n");
    expect((await list()).map(({ status }) => status)).toEqual(["removed", "removed", "removed"]);
    expect(git(root, "fsck", "--no-dangling", "--no-progress").trim()).toBe("");
    expect(await ofTheUser()).toEqual(before);
  },
  COMMANDS_TIMEOUT_MS,
);

/** One that has ended may be listed for a moment longer, until its parent has asked how. */
function isRunning(pid: number): boolean {
  const stat = `/proc/${pid}/stat`;
  return existsSync(stat) && !readFileSync(stat, "utf8").includes(") Z ");
}
