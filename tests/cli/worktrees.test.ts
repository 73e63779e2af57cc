import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { chunk, script, scriptedAgent } from "../integration/scripted-agent.ts";
import { startTestServer } from "../support/test-server.ts";
import { git, write } from "../workspace/git-scene.ts";
import { COMMANDS_TIMEOUT_MS, liminal, liminalJson } from "./liminal.ts";

test(
  "X-8 [X-14] run --worktree, worktrees and merge: a branch of its own, its merge, its removal and its return",
  async () => {
    await using server = await startTestServer({ agents: { scripted: scriptedAgent() } });
    const root = await server.directory(crypto.randomUUID());
    git(root, "init", "-q", "-b", "main");
    git(root, "config", "user.name", "a");
    git(root, "config", "user.email", "a@example.org");
    await write(root, { "a.txt": "one\n" });
    git(root, "add", "-A");
    git(root, "commit", "-qm", "first");
    const work = script({ shell: "echo two >> a.txt; git commit -qam two" }, chunk("ok"), {
      end: "end_turn",
    });
    const inProject = { cwd: root };
    const ran = await liminal(server, ["run", "-a", "scripted", "--worktree=fix", "--wait", work], inProject);
    expect(ran).toMatchObject({ code: 0 });
    expect(await readFile(join(root, "a.txt"), "utf8")).toBe("one\n");

    const listed = await liminalJson(server, ["worktrees"], inProject);
    expect(listed.value.worktrees).toMatchObject([{ branch: "fix", status: "ready", base: "main" }]);
    const [{ name, path }] = listed.value.worktrees;
    expect((await liminal(server, ["worktrees"], inProject)).stdout).toContain(name);

    // A command that is run in the worktree works there, and makes no project of it.
    const inside = await liminalJson(
      server,
      ["run", "-a", "scripted", "--wait", script(chunk("here"), { end: "end_turn" })],
      { cwd: path },
    );
    const [{ sessionIds }] = (await liminalJson(server, ["worktrees"], inProject)).value.worktrees;
    expect(sessionIds).toContain(inside.value.sessionId);
    expect((await liminalJson(server, ["projects"], inProject)).value.projects).toHaveLength(1);

    const preview = await liminal(server, ["merge", "fix", "--preview"], inProject);
    expect(preview.stdout).toContain("fix → main: 1 commit and 1 file (+1 -0)\n  a.txt");
    expect(preview.code).toBe(0);
    expect(await readFile(join(root, "a.txt"), "utf8")).toBe("one\n");
    expect(await liminal(server, ["merge", "--yes"], { cwd: path })).toMatchObject({ code: 0 });
    expect(await readFile(join(root, "a.txt"), "utf8")).toBe("one\ntwo\n");

    // What is not committed is committed first when told so, with the user's hooks.
    await write(path, { "b.txt": "b\n", "c.txt": "worktree\n" });
    await write(root, { "b.txt": "b\n", "c.txt": "project\n" });
    const hook = join(root, ".git/hooks/pre-commit");
    await writeFile(hook, "#!/bin/sh\necho the linter fails >&2\nexit 1\n", { mode: 0o755 });
    const toldOf = await liminal(server, ["merge", "fix"], inProject);
    expect(toldOf.stdout).toContain('2 uncommitted files. To commit first, add --commit "message".');
    const mergeAll = ["merge", "fix", "--commit", "Count on", "--yes"];
    const byHook = await liminal(server, mergeAll, inProject);
    expect(byHook).toMatchObject({ code: 1, stderr: expect.stringContaining("the linter fails") });
    await rm(hook);
    expect((await liminal(server, mergeAll.slice(0, -1), inProject)).stderr).toContain(
      "Nothing was committed or merged",
    );
    // The same content is no obstacle, another one is.
    const inTheWay = await liminal(server, mergeAll, inProject);
    expect(inTheWay.code).toBe(1);
    expect(inTheWay.stdout).toMatch(/^Committed 2 files: [0-9a-f]+\n/);
    expect(inTheWay.stdout).toContain(`In the way: uncommitted in ${root} and not as the merge brings them.`);
    expect(inTheWay.stdout).toEndWith("\n  c.txt\n");
    git(root, "stash", "push", "-q", "--include-untracked");
    await write(root, { "b.txt": "b\n" });
    expect((await liminalJson(server, mergeAll, inProject)).value).toMatchObject({ status: "merged" });
    expect(git(root, "log", "-1", "--format=%s", "fix").trim()).toBe("Count on");
    expect(git(root, "status", "--porcelain")).toBe("");

    expect((await liminal(server, ["worktrees", "remove", "none"], inProject)).code).toBe(1);
    expect(await liminal(server, ["worktrees", "remove", "fix"], inProject)).toMatchObject({ code: 0 });
    expect(existsSync(path)).toBe(false);
    expect(await liminal(server, ["worktrees", "return", "fix"], inProject)).toMatchObject({ code: 0 });
    expect(existsSync(path)).toBe(true);
    await liminal(server, ["worktrees", "remove", "fix"], inProject);
    expect((await liminal(server, ["worktrees", "purge", "fix"], inProject)).stdout).toContain("add --yes");
    expect(await liminal(server, ["worktrees", "purge", "fix", "--yes"], inProject)).toMatchObject({ code: 0 });
    expect((await liminalJson(server, ["worktrees"], inProject)).value.worktrees).toEqual([]);
    // Without a title and a branch the first words name it.
    await liminalJson(server, ["run", "-a", "builtin", "--worktree", "--wait", "stream 1 words"], inProject);
    expect((await liminalJson(server, ["worktrees"], inProject)).value.worktrees).toMatchObject([
      {
        name: expect.stringMatching(/^stream-1-words-\w{4}$/),
        branch: expect.stringMatching(/^liminal\/stream-1-words-/),
      },
    ]);
  },
  COMMANDS_TIMEOUT_MS,
);

test(
  "[X-14] services: listed, started, restarted and stopped where the user agreed; a consent is listed and revoked",
  async () => {
    await using server = await startTestServer();
    const client = await server.connect();
    const root = await server.directory(crypto.randomUUID());
    await write(root, { "liminal.json": JSON.stringify({ services: { dev: { command: "exec sleep 1000" } } }) });
    const { project } = await client.ask("project:added", { type: "project:add", path: root });
    const at = { cwd: root };
    const states = async () =>
      (await liminalJson(server, ["services"], at)).value.services.map(({ state }: { state: string }) => state);
    expect(await states()).toEqual(["asks"]);
    const refused = await liminal(server, ["services", "start", "dev"], at);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain("You have not agreed to this command yet");
    const place = { projectId: project.id, worktreeId: null };
    const { services } = await client.ask("service:list", { type: "service:list", ...place });
    const hash = services[0]?.hash ?? "";
    await client.ask("service:list", { type: "service:start", ...place, name: "dev", hash });
    expect(await states()).toEqual(["running"]);
    expect((await liminal(server, ["services", "restart", "dev"], at)).stdout).toContain("running");
    expect(await liminal(server, ["services", "stop", "dev"], at)).toMatchObject({ code: 0 });
    expect(await states()).toEqual(["stopped"]);
    expect((await liminal(server, ["services", "consents"], at)).stdout).toContain("exec sleep 1000");
    expect((await liminal(server, ["services", "revoke", "none"], at)).code).toBe(1);
    expect(await liminal(server, ["services", "revoke", "dev"], at)).toMatchObject({ code: 0 });
    expect(await states()).toEqual(["asks"]);
  },
  COMMANDS_TIMEOUT_MS,
);
