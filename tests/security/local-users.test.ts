import { expect, test } from "bun:test";
import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { readProc } from "../../scripts/test/marked-processes.ts";
import { COMMANDS_TIMEOUT_MS, liminalJson } from "../cli/liminal.ts";
import { startTalk } from "../integration/talk.ts";
import { sessionToken } from "../orchestration/mcp-caller.ts";
import { pathsIn } from "../support/files-in-use.ts";
import { tempDir } from "../support/temp-dir.ts";
import { ROOT, startTestServer, type TestServer } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";
import { asAnotherUser, WHY_NOT_ANOTHER_USER } from "./another-user.ts";

const OTHERS = 0o077;
const USERS_TOKEN = "the-users-own-token-5f0e1b";
const MODEL_KEY = "the-key-of-the-model-77aa31";

/** A server of somebody careless: whatever is made without a word about its mode is everyone's. */
async function startWithoutUmask(...options: Parameters<typeof startTestServer>): Promise<TestServer> {
  const before = process.umask(0);
  try {
    return await startTestServer(...options);
  } finally {
    process.umask(before);
  }
}

test("X-19 with umask 000 every file, directory and socket of the data directory is its user's alone", async () => {
  await using server = await startWithoutUmask();
  const talk = await startTalk(server, "builtin");
  await talk.send("sleep");
  await talk.until("the agent to work", () => talk.answer.includes("Sleeping"));
  // A checkpoint that takes long is not waited for by the prompt.
  await waitFor(
    () => pathsIn(server.dataDir),
    (paths) => paths.some((path) => /\/vaults\/.*\/indexes\/root$/.test(path)),
    "the checkpoint before the turn",
  );
  const found = [server.dataDir, ...pathsIn(server.dataDir)].flatMap((path) => {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    return stats ? [{ path, stats }] : [];
  });
  const open = found.filter(({ stats }) => (stats.mode & OTHERS) !== 0).map(({ path, stats }) => [path, stats.mode]);
  expect(open).toEqual([]);
  const names = found.map(({ path }) => relative(server.dataDir, path));
  for (const expected of ["token", "port", "lock", "server.json", "liminal.db", "liminal.db-wal", "agent-processes"])
    expect(names).toContain(expected);
  expect(names.some((name) => /^vaults\/.*\/indexes\/root$/.test(name))).toBe(true);
  expect(names.some((name) => /^held\/.*\/journal-/.test(name))).toBe(true);
  expect(found.filter(({ stats }) => stats.isSocket()).length).toBeGreaterThan(0);
});

test("X-19 files that were open to others in an older data directory are closed", async () => {
  await using server = await startTestServer();
  await server.stop();
  for (const name of ["token", "port", "liminal.db", "lock"]) await chmod(join(server.dataDir, name), 0o666);
  await chmod(server.dataDir, 0o777);
  await server.start();
  for (const name of ["", "token", "port", "liminal.db", "lock"])
    expect({ name, open: lstatSync(join(server.dataDir, name)).mode & OTHERS }).toEqual({ name, open: 0 });
});

test.skipIf(WHY_NOT_ANOTHER_USER !== null)(
  `another user of this machine reads no file, reaches no holder and sees no environment${WHY_NOT_ANOTHER_USER ? ` (skipped: ${WHY_NOT_ANOTHER_USER})` : ""}`,
  async () => {
    await using server = await startWithoutUmask();
    await chmod(dirname(server.dataDir), 0o755);
    const talk = await startTalk(server, "builtin");
    await talk.send("sleep");
    await talk.until("the agent to work", ({ turn }) => turn.state === "running");
    // The attacker can do something at all, and gets as far as the door.
    expect(await asAnotherUser("ls", dirname(server.dataDir))).toMatchObject({ code: 0 });
    const paths = pathsIn(server.dataDir);
    for (const path of [server.dataDir, ...paths]) {
      const tried = await asAnotherUser("sh", "-c", 'ls "$1" && cat "$1"', "sh", path);
      expect({ path, isRefused: tried.code !== 0 }).toEqual({ path, isRefused: true });
    }
    const socket = paths.find((path) => path.endsWith("/socket")) ?? "";
    const knock = `require("net").connect(${JSON.stringify(socket)}).on("connect", () => process.exit(0)).on("error", (e) => { console.log(e.code); process.exit(1); })`;
    expect(await asAnotherUser("node", "-e", knock)).toEqual({ code: 1, output: "EACCES\n" });
    for (const { pid } of server.processes.alive()) {
      const { output } = await asAnotherUser("cat", `/proc/${pid}/environ`);
      // Git, for example, may have ended meanwhile.
      const isAlive = server.processes.alive().some((one) => one.pid === pid);
      if (isAlive) expect(output).toContain("Permission denied");
    }
  },
);

/** Programs that write down what they were given and stay, so that they can be looked at. */
async function recorders(folder: string, names: readonly string[]): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const name of names) {
    const record = `tr '\\0' '\\n' < /proc/$$/environ > "${folder}/${name}.environ"\ntr '\\0' '\\n' < /proc/$$/cmdline > "${folder}/${name}.cmdline"`;
    await writeFile(join(folder, name), `#!/bin/sh\n${record}\n: > "${folder}/${name}.done"\n`, { mode: 0o755 });
  }
}

/** All that others could see of a process; nothing of one that has ended meanwhile, as Git has after a checkpoint. */
function wordsOf(pid: number): string {
  return readProc(pid, "environ") + readProc(pid, "cmdline");
}

test("O-2 neither the token nor the model's key is in arguments or environment of anything we start", async () => {
  await using dir = await tempDir();
  const bin = dir.join("bin");
  await recorders(bin, ["xdg-open", "git", "login-shell"]);
  await using server = await startTestServer({
    opensBrowser: true,
    agents: { other: { name: "Other", command: process.execPath, args: [join(ROOT, "builtin-agent/main.ts")] } },
    env: {
      PATH: `${bin}:${process.env["PATH"]}`,
      SHELL: join(bin, "login-shell"),
      LIMINAL_TOKEN: USERS_TOKEN,
      LIMINAL_MODEL_KEY: MODEL_KEY,
    },
  });
  expect(server.token).toBe(USERS_TOKEN);
  const talk = await startTalk(server, "other");
  await talk.send("sleep");
  await talk.until("the agent to work", ({ turn }) => turn.state === "running");
  await talk.client.request({ type: "files:search", projectId: talk.projectId, query: "x" });
  for (const name of ["xdg-open", "git", "login-shell"]) {
    const isDone = () => readdirSync(bin).includes(`${name}.done`);
    await waitFor(isDone, Boolean, `${name} to have been started`);
    for (const part of ["environ", "cmdline"])
      expect({ name, part, text: readFileSync(join(bin, `${name}.${part}`), "utf8") }).toEqual({
        name,
        part,
        text: expect.not.stringMatching(`${USERS_TOKEN}|${MODEL_KEY}`),
      });
  }
  expect(readFileSync(join(bin, "xdg-open.cmdline"), "utf8")).toContain("open.html");
  const started = [...server.agentProcesses(), ...server.holders()];
  expect(started.some(({ commandLine }) => commandLine.includes("holder"))).toBe(true);
  expect(started.some(({ commandLine }) => commandLine.includes("builtin-agent"))).toBe(true);
  const own = sessionToken(server, talk.sessionId);
  for (const { pid, commandLine } of started) {
    const text = wordsOf(pid);
    const secrets = [USERS_TOKEN, MODEL_KEY, own].filter((secret) => text.includes(secret));
    expect({ commandLine, secrets }).toEqual({ commandLine, secrets: [] });
  }
  expect(readProc(server.pid, "cmdline")).toContain("serve");
  expect(readProc(server.pid, "cmdline")).not.toContain(USERS_TOKEN);
});

test("O-2 the token we made ourselves is in no arguments and no environment, the server's own included", async () => {
  await using server = await startTestServer();
  const talk = await startTalk(server, "builtin");
  await talk.send("sleep");
  await talk.until("the agent to work", ({ turn }) => turn.state === "running");
  const alive = server.processes.alive();
  expect(alive.map(({ pid }) => pid)).toContain(server.pid);
  for (const { pid, commandLine } of alive) {
    const text = wordsOf(pid);
    expect({ commandLine, hasToken: text.includes(server.token) }).toEqual({ commandLine, hasToken: false });
  }
});

test(
  "X-14 whoever listens on the port of a server that was killed is shown no token by any command",
  async () => {
    await using server = await startTestServer();
    const note = join(server.dataDir, "server.json");
    await server.kill();
    const asked: string[] = [];
    const stranger = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: (request) => {
        asked.push(request.url, request.headers.get("authorization") ?? "");
        return Response.json({ status: "ok", version: "0.1.0" });
      },
    });
    try {
      // As if it had been quick enough to take the very port: which one is no matter, and this one is surely free.
      const origin = `http://127.0.0.1:${stranger.port}`;
      await writeFile(note, JSON.stringify({ ...(await Bun.file(note).json()), port: stranger.port, origin }));
      const listed = await liminalJson(server, ["devices"]);
      expect({ code: listed.code, error: listed.value.error.code }).toEqual({ code: 3, error: "NO_SERVER" });
      // Nor is a process ended that has by chance the number of the one that is gone.
      expect((await liminalJson(server, ["stop"])).value).toEqual({ status: "not-running" });
    } finally {
      await stranger.stop(true);
    }
    expect(asked).toEqual([]);
  },
  COMMANDS_TIMEOUT_MS,
);
