import { afterAll, beforeAll, expect, test } from "bun:test";
import { appendFile, mkdir, readdir, readFile, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { HeldConversation } from "../../../tests/support/held-conversation.ts";
import { CODEX_BACKGROUND } from "../../../tests/support/scripted-codex.ts";
import { type TempDir, tempDir } from "../../../tests/support/temp-dir.ts";
import { waitFor } from "../../../tests/support/wait-for.ts";
import { REFUSE } from "../../protocol/errors.ts";
import { CliType } from "../../protocol/ids.ts";
import type { AgentDefinition } from "../catalog/agent-definition.ts";
import { SERVES_ALL } from "../catalog/agent-definition.ts";
import { quietRead, startTicks } from "../process/process-ledger.ts";
import { OWNER_VARIABLE } from "../process/sweep-leftovers.ts";
import { LocalSessionWriters } from "./local-session-writers.ts";

const OWNER = "the-owner";
const ID = "01a1ed55-772e-7691-ab53-92820cad3671";
let dir: TempDir;

beforeAll(async () => {
  dir = await tempDir();
});
afterAll(() => dir[Symbol.asyncDispose]());

let scenes = 0;

/** Two entries of one agent: the second keeps its files elsewhere. */
function openScene(id: string, now = Date.now()) {
  scenes += 1;
  const home = dir.join(`home-${scenes}`);
  const other = dir.join(`other-${scenes}`);
  const variables = { CLAUDE_CONFIG_DIR: other, CODEX_HOME: other };
  const catalog = {
    definitions: () => [
      definition(id, {}),
      definition("my-claude", variables, ["node", "claude-agent-acp/dist/index.js"]),
      definition("my-codex", variables, ["npx", "@agentclientprotocol/codex-acp"]),
    ],
  };
  const world = { now: () => now, newId: () => "" };
  const writers = new LocalSessionWriters({ catalog, world, env: { HOME: home }, owner: OWNER });
  const of = (cliType: string, cwd = "/w/p") => ({ cliType: CliType.parse(cliType), agentSessionId: ID, cwd });
  return { home, other, writers, of };
}

function definition(id: string, env: Record<string, string>, command = ["agent"]): AgentDefinition {
  return { id: CliType.parse(id), name: id, command, env, process: "shared", retryDelaysMs: [], serves: SERVES_ALL };
}

/** A process that does nothing. */
function idle(env: Record<string, string> = {}) {
  return running(["sleep", "600"], env);
}

function zombieOf(folder: string): number | null {
  return Number(quietRead(join(folder, "zombie"))) || null;
}

async function running(command: string[], env: Record<string, string> = {}, cwd = "/") {
  const child = Bun.spawn(command, {
    cwd,
    env: { PATH: process.env["PATH"] ?? "", ...env },
    stdio: ["ignore", "ignore", "ignore"],
  });
  // While it starts, a process has neither arguments nor an environment, like one that has ended.
  await waitFor(
    () => quietRead(`/proc/${child.pid}/environ`),
    (shown) => shown !== "",
    `${command[0]} to run`,
  );
  return {
    pid: child.pid,
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await child.exited;
    },
  };
}

async function register(home: string, pid: number, more: object = {}): Promise<void> {
  await mkdir(join(home, "sessions"), { recursive: true });
  const entry = { pid, sessionId: ID, procStart: startTicks(pid), entrypoint: "cli", status: "busy", ...more };
  await writeFile(join(home, "sessions", `${pid}.json`), JSON.stringify(entry));
}

test("[CV-1] a Claude Code process that has the conversation open is its writer, and its activity is reported", async () => {
  await using terminal = await idle();
  const { home, writers, of } = openScene("claude-code");
  expect(writers.writerOf(of("claude-code"), null)).toEqual({ state: "free" });
  await register(join(home, ".claude"), terminal.pid);
  expect(writers.writerOf(of("claude-code"), null)).toMatchObject({
    state: "held",
    pid: terminal.pid,
    doing: "working",
  });
  await register(join(home, ".claude"), terminal.pid, { status: "waiting" });
  expect(writers.writerOf(of("claude-code"), null).doing).toBe("asking");
  await register(join(home, ".claude"), terminal.pid, { sessionId: "another" });
  expect(writers.writerOf(of("claude-code"), null)).toEqual({ state: "free" });
});

test("[CV-1] of a conversation at a place nothing is looked up here, not even where the place is this machine", async () => {
  await using terminal = await idle();
  const { home, writers, of } = openScene("claude-code");
  await register(join(home, ".claude"), terminal.pid);
  expect(writers.writerOf(of("claude-code"), null).state).toBe("held");
  const there = of("claude-code", "box:/w/p");
  expect(writers.writerOf(there, null)).toEqual({ state: "unknown" });
  expect([writers.isHeldByUs(there), writers.terminalCommand(there)]).toEqual([false, null]);
});

/** A child that ends when its parent has become a program that never reaps its children. */
const ENDS_UNASKED = `sh -c 'until [ "$(cat /proc/$PPID/comm)" = sleep ]; do :; done' & echo $! > zombie; exec sleep 600`;

test("[CV-6] a stale, reused or foreign pid, and a process of ours, is no writer", async () => {
  const { home, writers, of } = openScene("claude-code");
  const claude = join(home, ".claude");
  const state = () => writers.writerOf(of("claude-code"), null).state;
  await using terminal = await idle();
  await register(claude, terminal.pid);
  expect(state()).toBe("held");
  await register(claude, terminal.pid, { procStart: "1" });
  expect(state()).toBe("free");
  await register(claude, terminal.pid, { pidDomain: "linux:machine:pid:[1]" });
  expect(state()).toBe("free");
  await writeFile(join(claude, "sessions", `${terminal.pid}.json`), '{"pid": 4');
  expect(state()).toBe("free");
  await using dead = await idle();
  await register(claude, dead.pid);
  expect(state()).toBe("held");
  await dead[Symbol.asyncDispose]();
  expect(state()).toBe("free");
  await using parent = await running(["bash", "-c", ENDS_UNASKED], {}, dir.path);
  await waitFor(
    () => zombieOf(dir.path),
    (pid) => pid !== null && (quietRead(`/proc/${pid}/stat`)?.includes(") Z ") ?? false),
    "a zombie",
  );
  await register(claude, zombieOf(dir.path) ?? 0);
  expect(state()).toBe("free");
  expect(startTicks(parent.pid)).not.toBeNull();
  await using own = await idle({ [OWNER_VARIABLE]: OWNER });
  await register(claude, own.pid);
  expect(state()).toBe("free");
  expect(writers.isHeldByUs(of("claude-code"))).toBe(true);
  await using strangers = await idle({ [OWNER_VARIABLE]: "another-data-directory" });
  await register(claude, strangers.pid);
  expect(writers.writerOf(of("claude-code"), null)).toMatchObject({ state: "held", pid: strangers.pid });
});

test("[CV-1] [CV-6] Codex's lock shows which process has the conversation open; a waiting one, and ours, do not count", async () => {
  const { home, writers, of } = openScene("codex");
  const lock = join(home, ".codex/thread-writer-locks", `${ID}.lock`);
  expect(writers.writerOf(of("codex"), null)).toEqual({ state: "free" });
  {
    await using terminal = await HeldConversation.start(lock);
    expect(writers.writerOf(of("codex"), null)).toEqual({ state: "held", pid: terminal.pid, program: "codex" });
    await using _waiting = await running(["flock", "--no-fork", "--exclusive", lock, "true"]);
    expect(writers.writerOf(of("codex"), null)).toMatchObject({ pid: terminal.pid });
  }
  {
    await using _own = await HeldConversation.start(lock, { [OWNER_VARIABLE]: OWNER });
    expect(writers.writerOf(of("codex"), null)).toEqual({ state: "free" });
    expect(writers.isHeldByUs(of("codex"))).toBe(true);
  }
  expect(writers.isHeldByUs(of("codex"))).toBe(false);
  await using server = await HeldConversation.start(lock, {}, CODEX_BACKGROUND);
  const writer = writers.writerOf(of("codex"), null);
  expect(writer).toEqual({ state: "held", pid: server.pid, program: "Codex's background server", background: true });
  expect(REFUSE.agentSessionBusy(writer).message).toContain("about a minute after the terminal was closed");
});

test("the files are looked for where the agent's own entry keeps them", async () => {
  await using terminal = await idle();
  const { home, other, writers, of } = openScene("claude-code");
  await register(other, terminal.pid);
  expect(writers.writerOf(of("claude-code"), null).state).toBe("free");
  expect(writers.writerOf(of("my-claude"), null)).toMatchObject({ state: "held", pid: terminal.pid });
  await register(join(home, ".claude"), terminal.pid);
  expect(writers.writerOf(of("claude-code"), null).state).toBe("held");
  await using _lock = await HeldConversation.start(join(other, "thread-writer-locks", `${ID}.lock`));
  expect(writers.writerOf(of("my-codex"), null).state).toBe("held");
  expect(writers.terminalCommand(of("my-codex"))).toBe(`cd /w/p && CODEX_HOME=${other} codex resume ${ID}`);
});

test("[CV-3] to look changes nothing: no file is made, written or locked", async () => {
  const { home, writers, of } = openScene("claude-code");
  const claude = join(home, ".claude");
  const project = join(claude, "projects/-w-p");
  await mkdir(project, { recursive: true });
  await writeFile(join(project, `${ID}.jsonl`), '{"type":"user","timestamp":"2026-01-01T00:00:00Z"}\n');
  await using terminal = await idle();
  await register(claude, terminal.pid);
  const seen = async () => {
    const entries = await readdir(home, { recursive: true, withFileTypes: true });
    const found = entries.map(async (entry) => {
      const path = join(entry.parentPath, entry.name);
      return [path, [entry.isFile() ? await readFile(path, "utf8") : null, Bun.file(path).lastModified]] as const;
    });
    // By path: directories are read in no certain order.
    return Object.fromEntries(await Promise.all(found));
  };
  const before = await seen();
  writers.writerOf(of("claude-code"), null);
  writers.isHeldByUs(of("claude-code"));
  writers.saidAfter(of("claude-code"), 0);
  writers.terminalCommand(of("claude-code"));
  expect(await seen()).toEqual(before);
  expect(startTicks(terminal.pid)).not.toBeNull();
});

test("[CV-4] words after a time are found at the end of Claude's file; bookkeeping does not count", async () => {
  const { home, writers, of } = openScene("claude-code");
  const project = join(home, ".claude/projects/-w-p");
  const file = join(project, `${ID}.jsonl`);
  const at = (text: string) => Date.parse(text);
  const said = (type: string, timestamp: string) => `${JSON.stringify({ type, timestamp, message: "x".repeat(9) })}\n`;
  expect(writers.saidAfter(of("claude-code"), 0)).toBeNull();
  await mkdir(project, { recursive: true });
  await writeFile(file, said("user", "2026-01-01T10:00:00Z") + said("assistant", "2026-01-01T10:00:05Z"));
  expect(writers.saidAfter(of("claude-code"), at("2026-01-01T10:00:06Z"))).toBe(false);
  expect(writers.saidAfter(of("claude-code"), at("2026-01-01T10:00:04Z"))).toBe(true);
  await appendFile(file, said("ai-title", "2026-01-01T10:00:09Z"));
  expect(writers.saidAfter(of("claude-code"), at("2026-01-01T10:00:06Z"))).toBe(false);
  await appendFile(file, `${JSON.stringify({ type: "file", content: "y".repeat(70_000) })}\n`);
  expect(writers.saidAfter(of("claude-code"), at("2026-01-01T10:00:06Z"))).toBe(true);
  const after = Date.now() + 60_000;
  expect(writers.saidAfter(of("claude-code"), after)).toBe(false);
});

test("an agent without locks has a writer while its file changes, unless that was us", async () => {
  const now = Date.parse("2026-01-01T10:10:00Z");
  const { home, writers, of } = openScene("qwen-code", now);
  const chats = join(home, ".qwen/projects/-w-p/chats");
  const file = join(chats, `${ID}.jsonl`);
  expect(writers.writerOf(of("qwen-code"), null)).toEqual({ state: "unknown" });
  await mkdir(chats, { recursive: true });
  await writeFile(file, "");
  const written = async (ms: number) => utimes(file, new Date(ms), new Date(ms));
  await written(now - 30_000);
  expect(writers.writerOf(of("qwen-code"), null)).toEqual({ state: "held" });
  expect(writers.writerOf(of("qwen-code"), now - 35_000)).toEqual({ state: "unknown" });
  expect(writers.writerOf(of("qwen-code"), now - 50_000)).toEqual({ state: "held" });
  await written(now - 61_000);
  expect(writers.writerOf(of("qwen-code"), null)).toEqual({ state: "unknown" });
});

test("the command for a terminal is quoted as a shell reads it; an agent without one has none", () => {
  const { writers, of } = openScene("claude-code");
  expect(writers.terminalCommand(of("claude-code", "/w/it's here"))).toBe(
    `cd '/w/it'\\''s here' && claude --resume ${ID}`,
  );
  expect(openScene("gemini").writers.terminalCommand(of("gemini"))).toBeNull();
  expect(openScene("builtin").writers.terminalCommand(of("builtin"))).toBeNull();
  expect(openScene("builtin").writers.writerOf(of("builtin"), null)).toEqual({ state: "unknown" });
});
