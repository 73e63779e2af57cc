import { describe, expect, it } from "bun:test";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { CheckpointId } from "../../src/protocol/changes.ts";
import { BINARY, COMMANDS_TIMEOUT_MS, environmentOf, liminal } from "../cli/liminal.ts";
import { chunk, script, scriptedAgent } from "../integration/scripted-agent.ts";
import { anotherTalk, reopen, startTalk, Talk } from "../integration/talk.ts";
import { NO_FILE_LIMIT } from "../support/file-limit.ts";
import { startTestServer, TestServer } from "../support/test-server.ts";
import { git, write } from "../workspace/git-scene.ts";

const SESSIONS = 4;

/** Where a test keeps its backups. */
function placeOf(server: TestServer, name: string): string {
  return join(dirname(server.dataDir), "safe", name);
}

function digestOf(path: string): string {
  return createHash("sha256").update(readFileSync(path)).digest("hex");
}

/** What a client had received when the backup began. */
function toldTo(talks: readonly Talk[]) {
  return talks.map(({ sessionId, state, answer, messages }) => ({ sessionId, seq: state.seq, answer, messages }));
}

/** One server with a word in it, stopped, and a backup of it. */
async function backedUp() {
  const server = await startTestServer();
  const talk = await startTalk(server);
  await talk.say("stream 3 words");
  await server.stop();
  const folder = placeOf(server, "one");
  const ended = await liminal(server, ["backup", folder]);
  if (ended.code !== 0) throw new Error(ended.stderr);
  return { server, talk, folder };
}

describe("a backup", () => {
  it(
    "X-1 X-2 taken while sessions stream has every fact that was told before it began, in a new place, and all fold",
    async () => {
      await using server = await startTestServer();
      const first = await startTalk(server);
      const talks = [first];
      while (talks.length < SESSIONS) talks.push(await anotherTalk(first.client, first.projectId));
      for (const talk of talks) await talk.send("stream 1000000 words at 1500/s");
      const backups = [];
      for (const name of ["one", "two"]) {
        await Promise.all(talks.map((talk) => talk.until("more words", ({ seq }) => seq > 20 * (backups.length + 1))));
        const told = toldTo(talks);
        const { code, stderr, stdout } = await liminal(server, ["backup", placeOf(server, name), "--json"]);
        expect([code, stderr]).toEqual([0, ""]);
        expect(JSON.parse(stdout)).toMatchObject({ path: placeOf(server, name), sessions: SESSIONS });
        backups.push({ told, folder: placeOf(server, name) });
      }
      for (const { told, folder } of backups) {
        for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
        await using copy = await TestServer.prepare();
        expect(await liminal(copy, ["restore", folder])).toMatchObject({ code: 0, stderr: "" });
        await copy.start();
        const client = await copy.connect();
        for (const { sessionId, seq, answer, messages } of told) {
          const restored = await reopen(client, new Talk(client, first.projectId, sessionId));
          expect(restored.state.seq).toBeGreaterThanOrEqual(seq);
          expect(restored.answer.startsWith(answer)).toBe(true);
          expect(restored.messages).toEqual(messages);
          // Their agents are elsewhere; the turn is over, and the next one works.
          await restored.untilIdle();
        }
      }
    },
    COMMANDS_TIMEOUT_MS,
  );

  it(
    "goes into the data directory by itself, with the settings, without tokens, and never over another one",
    async () => {
      await using server = await startTestServer({ agents: {} });
      await startTalk(server);
      const { stdout } = await liminal(server, ["backup", "--json"]);
      const { path } = JSON.parse(stdout);
      expect(dirname(path)).toBe(join(server.dataDir, "backups"));
      expect(readdirSync(path).sort()).toEqual(["config.json", "liminal.db", "manifest.json"]);
      for (const name of readdirSync(path))
        expect(readFileSync(join(path, name), "latin1")).not.toContain(server.token);
      const before = digestOf(join(path, "liminal.db"));
      const again = await liminal(server, ["backup", path]);
      expect([again.code, again.stderr.includes("was not changed")]).toEqual([1, true]);
      expect(digestOf(join(path, "liminal.db"))).toBe(before);
    },
    COMMANDS_TIMEOUT_MS,
  );

  it.skipIf(NO_FILE_LIMIT !== null)(
    "X-2 that the disk does not take leaves nothing, and what an interrupted one left is no obstacle",
    async () => {
      await using server = await startTestServer();
      await startTalk(server);
      const folder = placeOf(server, "small");
      const child = Bun.spawn(["prlimit", "--fsize=20000", BINARY, "backup", folder], {
        env: environmentOf(server),
        stderr: "pipe",
        stdout: "ignore",
      });
      const words = await new Response(child.stderr).text();
      expect([await child.exited, words.includes("Could not write")]).toEqual([1, true]);
      expect(readdirSync(dirname(folder))).toEqual([]);
      mkdirSync(join(dirname(folder), ".small.partial"));
      writeFileSync(join(dirname(folder), ".small.partial", "liminal.db"), "half");
      expect((await liminal(server, ["backup", folder])).code).toBe(0);
      expect(readdirSync(dirname(folder))).toEqual(["small"]);
    },
    COMMANDS_TIMEOUT_MS,
  );
});

describe("restoring", () => {
  it(
    "keeps what was there beside it, and keeps the token",
    async () => {
      const { server, talk, folder } = await backedUp();
      await using _ = server;
      await server.start();
      const { token } = server;
      const later = await reopen(await server.connect(), talk);
      await later.say("stream 5 words");
      const running = await liminal(server, ["restore", folder]);
      expect([running.code, running.stderr.includes("liminal stop")]).toEqual([1, true]);
      await server.stop();
      const { stdout, code } = await liminal(server, ["restore", folder, "--json"]);
      expect(code).toBe(0);
      await server.start();
      expect(server.token).toBe(token);
      expect((await reopen(await server.connect(), talk)).messages).toEqual(["stream 3 words"]);
      using previous = new DatabaseSync(join(JSON.parse(stdout).previous, "liminal.db"), { readOnly: true });
      expect(previous.prepare("SELECT count(*) AS said FROM entry WHERE json LIKE '%stream 5 words%'").get()).toEqual({
        said: 1,
      });
    },
    COMMANDS_TIMEOUT_MS,
  );

  it(
    "touches nothing when the backup is damaged, incomplete, newer, tampered with, not what it says or none, or agents of the last run still wait",
    async () => {
      const { server, folder } = await backedUp();
      await using _ = server;
      const manifest = JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8"));
      const before = digestOf(join(server.dataDir, "liminal.db"));
      const flip = (path: string) => {
        const bytes = readFileSync(path);
        bytes[5_000] = (bytes[5_000] ?? 0) ^ 1;
        writeFileSync(path, bytes);
      };
      for (const [what, change, words] of [
        ["damaged", (at: string) => flip(join(at, "liminal.db")), "is damaged"],
        ["incomplete", (at: string) => writeFileSync(join(at, "liminal.db"), ""), "is damaged"],
        ["newer", (at: string) => writeManifest(at, { ...manifest, schema: 9_999 }), "Update first"],
        ["older than its manifest says", (at: string) => setSchema(at, manifest, 1), "its database has schema 1."],
        [
          "newer than its manifest says",
          (at: string) => setSchema(at, manifest, 9_999),
          "its database has schema 9999.",
        ],
        ["of a format to come", (at: string) => writeManifest(at, { ...manifest, liminalBackup: 2 }), "newer version"],
        [
          "leading elsewhere",
          (at: string) => writeManifest(at, { ...manifest, files: [{ ...manifest.files[0], name: "../token" }] }),
          "Cannot read",
        ],
        [
          "without a table (S15)",
          (at: string) => changeDatabase(at, manifest, "DROP TABLE policy_rule"),
          "missing table policy_rule",
        ],
        [
          "without a column (S15)",
          (at: string) => changeDatabase(at, manifest, "ALTER TABLE session DROP COLUMN draft"),
          "missing column session.draft",
        ],
        ["that acts by itself", (at: string) => plantTrigger(at, manifest), "do not use it"],
        ["held", () => mkdirSync(join(server.dataDir, "held", "someone"), { recursive: true }), "still running"],
      ] as const) {
        const copy = placeOf(server, what);
        cpSync(folder, copy, { recursive: true });
        change(copy);
        const { code, stderr } = await liminal(server, ["restore", copy]);
        expect([what, code, stderr.includes(words)]).toEqual([what, 1, true]);
        expect(digestOf(join(server.dataDir, "liminal.db"))).toBe(before);
      }
      for (const none of [server.home, join(folder, "manifest.json")]) {
        const { code, stderr } = await liminal(server, ["restore", none]);
        expect([none, code, stderr.includes("is not a backup")]).toEqual([none, 1, true]);
      }
      expect(existsSync(join(server.dataDir, "restoring"))).toBe(false);
      expect(readdirSync(server.dataDir).filter((name) => name.startsWith("before-restore"))).toEqual([]);
    },
    COMMANDS_TIMEOUT_MS,
  );
});

/** A session of an agent that has changed a file by its shell, and the checkpoint before that. */
async function changedFile() {
  const server = await startTestServer({ agents: { scripted: scriptedAgent() } });
  const client = await server.connect();
  const root = await server.directory("work");
  git(root, "init", "-q", "-b", "main");
  await write(root, { "a.txt": "one\n", "b.txt": "b\n" });
  git(root, "add", "-A");
  git(root, "commit", "-qm", "first");
  const { project } = await client.ask("project:added", { type: "project:add", path: root });
  const talk = await anotherTalk(client, project.id, "scripted");
  const say = async (command: string, count: number) => {
    await talk.say(script({ shell: command }, chunk("done"), { end: "end_turn" }));
    const changes = () => talk.entries.filter((entry) => entry.type === "changes");
    await talk.until("the line of changes", () => changes().length === count);
    return changes().at(-1)?.before ?? ("" as CheckpointId);
  };
  const checkpointId = await say("echo two >> a.txt; rm b.txt", 1);
  const bring = async (at: TestServer, id: CheckpointId) => {
    const asking = await at.connect();
    const about = { sessionId: talk.sessionId, checkpointId: id };
    const { version } = await asking.ask("checkpoint:preview", { type: "checkpoint:preview", ...about });
    return asking.ask("checkpoint:restored", { type: "checkpoint:restore", ...about, expect: version });
  };
  return { server, talk, root, checkpointId, say, bring };
}

describe("checkpoints in a backup", () => {
  it(
    "[WS-3] [X-1] come back where the vaults are gone, and a file can be restored to before the backup",
    async () => {
      const { server, root, checkpointId, bring } = await changedFile();
      await using _ = server;
      const [folder, without] = [placeOf(server, "with"), placeOf(server, "without")];
      const { code, stdout, stderr } = await liminal(server, ["backup", folder, "--checkpoints", "--json"]);
      expect([code, stderr]).toEqual([0, ""]);
      expect(JSON.parse(stdout)).toMatchObject({ sessions: 1, vaults: 1 });
      expect(await liminal(server, ["backup", without])).toMatchObject({ code: 0 });
      expect(existsSync(join(without, "checkpoints"))).toBe(false);
      for (const name of readdirSync(join(folder, "checkpoints")))
        expect(statSync(join(folder, "checkpoints", name)).mode & 0o777).toBe(0o600);
      await server.stop();
      rmSync(server.dataDir, { recursive: true });
      // The user's repository no longer has the objects either.
      rmSync(join(root, ".git"), { recursive: true });
      git(root, "init", "-q", "-b", "main");
      git(root, "commit", "-q", "--allow-empty", "-m", "anew");
      const restored = await liminal(server, ["restore", folder, "--json"]);
      expect(restored).toMatchObject({ code: 0, stderr: "" });
      expect(JSON.parse(restored.stdout)).toMatchObject({ sessions: 1, checkpoints: 2 });
      await server.start();
      expect(await bring(server, checkpointId)).toMatchObject({ files: 2 });
      expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("one\n");
      expect(readFileSync(join(root, "b.txt"), "utf8")).toBe("b\n");
    },
    COMMANDS_TIMEOUT_MS,
  );

  it(
    "[WS-3] [X-1] are added to those that are there: what was stored since the backup stays",
    async () => {
      const { server, root, checkpointId, say, bring } = await changedFile();
      await using _ = server;
      const folder = placeOf(server, "with");
      expect(await liminal(server, ["backup", folder, "--checkpoints"])).toMatchObject({ code: 0 });
      const later = await say("echo three >> a.txt", 2);
      await server.stop();
      const [vault = ""] = readdirSync(join(server.dataDir, "vaults"));
      const inVault = (...words: string[]) => git(join(server.dataDir, "vaults", vault), "--git-dir=.", ...words);
      const before = inVault("for-each-ref");
      inVault("update-ref", "-d", `refs/c/${checkpointId}`);
      const restored = await liminal(server, ["restore", folder, "--json"]);
      expect(JSON.parse(restored.stdout)).toMatchObject({ checkpoints: 1 });
      expect(inVault("for-each-ref")).toBe(before);
      await server.start();
      // Its turn is not in the backup, its checkpoint is still here.
      await bring(server, later);
      expect(readFileSync(join(root, "a.txt"), "utf8")).toContain("two\n");
      await bring(server, checkpointId);
    },
    COMMANDS_TIMEOUT_MS,
  );

  it(
    "X-2 a damaged or exchanged bundle is refused, and nothing is changed",
    async () => {
      const { server } = await changedFile();
      await using _ = server;
      const folder = placeOf(server, "with");
      expect(await liminal(server, ["backup", folder, "--checkpoints"])).toMatchObject({ code: 0 });
      await server.stop();
      const manifest = JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8"));
      const [{ name }] = manifest.checkpoints;
      const before = digestOf(join(server.dataDir, "liminal.db"));
      const bundle = join(folder, "checkpoints", name);
      writeFileSync(bundle, "not a bundle\n");
      const damaged = await liminal(server, ["restore", folder]);
      expect([damaged.code, damaged.stderr.includes("is damaged")]).toEqual([1, true]);
      const counted = { name, bytes: statSync(bundle).size, sha256: digestOf(bundle) };
      writeManifest(folder, { ...manifest, checkpoints: [counted] });
      const exchanged = await liminal(server, ["restore", folder]);
      expect([exchanged.code, exchanged.stderr.includes("were not changed")]).toEqual([1, true]);
      writeManifest(folder, { ...manifest, checkpoints: [{ ...counted, name: "../../config.json" }] });
      expect(await liminal(server, ["restore", folder])).toMatchObject({ code: 1 });
      expect(digestOf(join(server.dataDir, "liminal.db"))).toBe(before);
    },
    COMMANDS_TIMEOUT_MS,
  );
});

interface Manifest {
  readonly files: readonly { readonly name: string }[];
}

function plantTrigger(folder: string, manifest: Manifest): void {
  changeDatabase(
    folder,
    manifest,
    "CREATE TRIGGER allow_all AFTER INSERT ON session BEGIN INSERT INTO policy_mode VALUES ('session', NEW.id, 'all'); END",
  );
}

function setSchema(folder: string, manifest: Manifest, schema: number): void {
  changeDatabase(folder, manifest, `PRAGMA user_version = ${schema}`);
}

/** Whoever hands over a changed backup can count it anew. */
function changeDatabase(folder: string, manifest: Manifest, sql: string): void {
  const path = join(folder, "liminal.db");
  const db = new DatabaseSync(path);
  db.exec(sql);
  db.close();
  const [bytes, sha256] = [statSync(path).size, digestOf(path)];
  const files = manifest.files.map((file) => (file.name === "liminal.db" ? { ...file, bytes, sha256 } : file));
  writeManifest(folder, { ...manifest, files });
}

function writeManifest(folder: string, manifest: object): void {
  writeFileSync(join(folder, "manifest.json"), JSON.stringify(manifest));
}
