import { expect, test } from "bun:test";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ChangesEntry } from "../../src/protocol/entry.ts";
import { chunk, script, scriptedAgent } from "../integration/scripted-agent.ts";
import { anotherTalk, type Talk } from "../integration/talk.ts";
import { startTestServer, type TestServer } from "../support/test-server.ts";
import { git, write } from "../workspace/git-scene.ts";
import { COMMANDS_TIMEOUT_MS, liminal, liminalJson } from "./liminal.ts";

const AGENTS = { scripted: scriptedAgent() };

/** A repository in which one turn has changed two files and added one, and the user one of them since. */
async function startWork(server: TestServer): Promise<Talk & { readonly root: string }> {
  const client = await server.connect();
  const root = await server.directory(crypto.randomUUID());
  git(root, "init", "-q", "-b", "main");
  await write(root, { "a.txt": "one\ntwo\n", "src/b.txt": "b\n" });
  git(root, "add", "-A");
  git(root, "commit", "-qm", "first");
  const { project } = await client.ask("project:added", { type: "project:add", path: root });
  const talk = Object.assign(await anotherTalk(client, project.id, "scripted"), { root });
  await talk.say(
    script({ shell: "echo three >> a.txt; echo more >> src/b.txt; echo x > c.txt" }, chunk("done"), {
      end: "end_turn",
    }),
  );
  await talk.until("the line of changes", () => changesOf(talk).length === 1);
  await writeFile(join(root, "src/b.txt"), "mine\n");
  return talk;
}

const changesOf = (talk: Talk): ChangesEntry[] => talk.entries.filter((entry) => entry.type === "changes");

test(
  "[X-9] [X-14] restore shows three groups and changes nothing; --yes restores the session's own, --path what is named",
  async () => {
    await using server = await startTestServer({ agents: AGENTS });
    const talk = await startWork(server);
    const { sessionId, root } = talk;
    const read = (path: string) => readFile(join(root, path), "utf8");
    const before = changesOf(talk)[0]?.before ?? "";

    const listed = await liminalJson(server, ["checkpoints", sessionId]);
    expect(listed.value.checkpoints).toMatchObject([{ phase: "after" }, { phase: "before", checkpointId: before }]);
    expect(listed.value.checkpoints[1].message).toContain("echo three");
    expect((await liminal(server, ["checkpoints", sessionId])).stdout).toMatch(/^CHECKPOINT +TIME.*\n\S+ .* after /);

    const preview = await liminal(server, ["restore", sessionId, before]);
    expect(preview.stdout).toContain("Would be restored: 2 files\n  change  a.txt  +0 -1\n  delete  c.txt");
    expect(preview.stdout).toContain(
      "changed since: 1 file. They stay as they are; --all restores them, too\n  change  src/b.txt",
    );
    expect(preview.stdout).toContain("Nothing was changed. To restore 2 files, add --yes.");
    expect(preview.code).toBe(0);
    expect(await read("a.txt")).toBe("one\ntwo\nthree\n");

    const acted = await liminalJson(server, ["restore", sessionId, before, "--yes"]);
    expect(acted).toMatchObject({ code: 0, value: { status: "restored", files: 2 } });
    expect(await read("a.txt")).toBe("one\ntwo\n");
    expect(await read("src/b.txt")).toBe("mine\n");
    expect(acted.value.undo).toContain(acted.value.safety);
    expect((await liminal(server, acted.value.undo.split(" ").slice(1))).code).toBe(0);
    const again = await liminal(server, ["restore", sessionId, before, "--yes"]);
    expect(again.stdout).toStartWith(
      "Restored 2 files. 1 file stayed, because it was changed by somebody else, or since (--all). To take this back: ",
    );

    const chosen = await liminal(server, ["restore", sessionId, before, "--path", "src/", "--yes"]);
    expect(chosen.code).toBe(0);
    expect(chosen.stdout).toContain("Restored 1 file. To take this back: liminal restore");
    expect(await read("src/b.txt")).toBe("b\n");
    const undo = /To take this back: liminal (.*)\n/.exec(chosen.stdout)?.[1] ?? "";
    expect(await liminal(server, undo.split(" "))).toMatchObject({ code: 0 });
    expect(await read("src/b.txt")).toBe("mine\n");
    expect(await read("a.txt")).toBe("one\ntwo\n");
  },
  COMMANDS_TIMEOUT_MS,
);

test(
  "[X-14] [WS-17] diff prints what git apply takes back, for a turn, a path and as a table; colours only where asked for",
  async () => {
    await using server = await startTestServer({ agents: AGENTS });
    const { sessionId, root } = await startWork(server);
    await write(root, { "src/b.txt": "b\nmore\n" });
    const whole = await liminal(server, ["diff", sessionId]);
    expect(whole).toMatchObject({ code: 0, stderr: "" });
    expect(whole.stdout).toContain("--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,3 @@\n one\n two\n+three\n");
    expect((await liminal(server, ["diff", sessionId, "--turn", "last"])).stdout).toBe(whole.stdout);
    const file = join(server.home, "patch");
    await writeFile(file, whole.stdout);
    git(root, "apply", "-R", file);
    expect(git(root, "status", "--porcelain")).toBe("");
    git(root, "apply", file);

    const stat = await liminal(server, ["diff", sessionId, "--scope", "base", "--stat", "--", "src", "c.txt"]);
    expect(stat.stdout).toBe(" c.txt     | 1 +\n src/b.txt | 1 +\n 2 files changed, 2 insertions(+), 0 deletions(-)\n");
    const coloured = await liminal(server, ["diff", sessionId, "--", "c.txt"], { env: { FORCE_COLOR: "1" } });
    expect(coloured.stdout).toContain("\u001b[32m+x\u001b[0m\n");
    const lines = (await liminal(server, ["diff", sessionId, "--json", "--", "a.txt"])).stdout.trim().split("\n");
    expect(lines.map((text) => JSON.parse(text))).toMatchObject([
      { scope: { kind: "unreviewed" }, files: [{ path: "a.txt", added: 1 }] },
      { path: "a.txt", patch: { kind: "text", hunks: [{ newLines: ["three"] }] } },
    ]);
    expect((await liminal(server, ["diff", sessionId, "--", "no/such"])).code).toBe(1);
    expect((await liminal(server, ["diff", sessionId, "--scope", "base", "--turn", "last"])).code).toBe(2);

    git(root, "submodule", "--quiet", "add", root, "lib");
    git(root, "add", "-A");
    git(root, "commit", "-qm", "second");
    git(join(root, "lib"), "commit", "-qm", "moved", "--allow-empty");
    const moved = await liminal(server, ["diff", sessionId, "--scope", "base"]);
    expect(moved.stdout).toMatch(/^lib: Moved a submodule: was at [0-9a-f]{8}, now [0-9a-f]{8}\.\n$/);
  },
  COMMANDS_TIMEOUT_MS,
);

test(
  "[WS-13] [X-14] restore is refused while a turn runs, and --stop stops it; what is not there has a code and words",
  async () => {
    await using server = await startTestServer({ agents: AGENTS });
    const talk = await startWork(server);
    const { sessionId, root } = talk;
    const before = changesOf(talk)[0]?.before ?? "";
    await talk.send(script(chunk("busy")));
    await talk.untilAnswer("busy");
    const refused = await liminalJson(server, ["restore", sessionId, before, "--yes"]);
    expect(refused).toMatchObject({ code: 1, value: { error: { code: "WORKDIR_BUSY" } } });
    expect(await readFile(join(root, "a.txt"), "utf8")).toContain("three");
    expect((await liminal(server, ["restore", sessionId, before, "--yes", "--stop"])).code).toBe(0);
    expect(await readFile(join(root, "a.txt"), "utf8")).toBe("one\ntwo\n");

    const aimless = await liminal(server, ["branch", sessionId, "--before", "say it again"]);
    expect([aimless.code, aimless.stderr]).toEqual([2, expect.stringContaining("--before needs --at")]);
    const unknown = await liminalJson(server, ["restore", sessionId, "zzz"]);
    expect(unknown).toMatchObject({ code: 1, value: { error: { code: "CHECKPOINT_NOT_FOUND" } } });
    const nowhere = await liminalJson(server, ["restore", sessionId, before, "--path", "no/such"]);
    expect(nowhere).toMatchObject({ code: 1, value: { error: { code: "NOTHING_TO_RESTORE" } } });
    expect(await liminal(server, ["restore", sessionId, "--yes"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("Missing argument: <checkpoint>"),
    });
    expect(await liminal(server, ["restore", "3f2a"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("liminal restore <session> <checkpoint>"),
    });
  },
  COMMANDS_TIMEOUT_MS,
);
