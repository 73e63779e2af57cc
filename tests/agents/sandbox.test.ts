import { afterAll, beforeAll, expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { type TempDir, tempDir } from "../support/temp-dir.ts";
import { type AgentScene, openAgentScene } from "./agent-scene.ts";
import { gated, openGate } from "./gated-command.ts";
import { expectSettled } from "./outline.ts";
import { REAL_AGENTS } from "./real-agents.ts";

// Codex runs commands in a sandbox of bubblewrap. The machine's own `bwrap` must not decide what these tests see.

const codex = REAL_AGENTS.find(({ name }) => name === "codex");
if (!codex) throw new Error("Codex is needed");
const PATH = process.env["PATH"] ?? "";
/** Where a machine allows no user namespaces, Codex's sandbox stops every command before it starts. */
const hasNamespaces =
  process.platform === "linux" && Bun.spawnSync(["unshare", "--user", "--map-root-user", "true"]).success;

let bin: TempDir;
let scene: AgentScene | undefined;

beforeAll(async () => {
  bin = await tempDir();
  // As an old bubblewrap fails: it does not know how to start the sandbox of today's Codex.
  const words = "bwrap: execvp codex-linux-sandbox: No such file or directory";
  await writeFile(bin.join("bwrap"), `#!/bin/sh\necho '${words}' >&2\nexit 1\n`, { mode: 0o755 });
  process.env["PATH"] = `${bin.path}:${PATH}`;
  if (codex.isInstalled) scene = await openAgentScene(codex);
});

afterAll(async () => {
  process.env["PATH"] = PATH;
  await scene?.[Symbol.asyncDispose]();
  await bin[Symbol.asyncDispose]();
});

test.skipIf(!codex.isInstalled || !hasNamespaces)(
  "TC-3.3c a command that the sandbox of Codex stops shows why, whatever bwrap the machine has (B11)",
  async () => {
    if (!scene) throw new Error("no scene");
    const talk = await scene.newSession();
    await talk.askFirst();
    await talk.send(codex.shell(gated("echo x > stopped.txt")), "say: It was stopped.");
    await talk.untilTool("the command", ({ status }) => status === "running");
    await openGate(talk);
    await talk.untilEnded();
    expect(talk.tools).toMatchObject([{ kind: "execute", status: "error" }]);
    expect(talk.tools[0]?.error).toContain("stopped.txt: Read-only file system");
    expect(talk.entries.at(-1)?.content).toBe("It was stopped.");
    expectSettled(talk);
  },
);
