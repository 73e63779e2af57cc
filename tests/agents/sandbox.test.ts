import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TempDir, tempDir } from "../support/temp-dir.ts";
import { type AgentTalk, openAgentScene } from "./agent-scene.ts";
import { expectSettled } from "./outline.ts";
import { codexBubblewrap, REAL_AGENTS, type RealAgent } from "./real-agents.ts";

// Codex runs commands in a sandbox of bubblewrap. Its first choice is the machine's `bwrap`, here an old one.

const codex = REAL_AGENTS.find(({ name }) => name === "codex");
if (!codex) throw new Error("Codex is needed");
const { shell } = codex;
const PATH = process.env["PATH"] ?? "";
/** Where a machine allows no user namespaces, Codex's sandbox stops every command before it starts. */
const hasNamespaces =
  process.platform === "linux" && Bun.spawnSync(["unshare", "--user", "--map-root-user", "true"]).success;
const bubblewrap = codexBubblewrap();
const isLeftOut = !codex.isInstalled || !hasNamespaces || bubblewrap === undefined;

let bin: TempDir;

beforeAll(async () => {
  bin = await tempDir();
  await writeFile(bin.join("bwrap"), oldBubblewrap(), { mode: 0o755 });
  process.env["PATH"] = `${bin.path}:${PATH}`;
});

afterAll(async () => {
  process.env["PATH"] = PATH;
  await bin[Symbol.asyncDispose]();
});

/** Like one before 0.9, which has no `--argv0`. It notes each command, and starts it once that was announced. */
function oldBubblewrap(): string {
  return `#!/bin/sh
case " $* " in
  *" --help "*) "${bubblewrap}" --help | grep -v argv0; exit ;;
  *" --argv0 "*) echo "bwrap: Unknown option --argv0" >&2; exit 1 ;;
  *" --apply-seccomp-then-exec "*)
    echo "$*" >> "${bin.join("commands")}"
    until [ -e "${bin.join("announced")}" ]; do sleep 0.05; done ;;
esac
exec "${bubblewrap}" "$@"
`;
}

/** A turn in the read-only mode, in which Codex runs one command. */
async function runInSandbox(talk: AgentTalk, command: string): Promise<void> {
  await talk.send(shell(command), "say: It ran.");
  await talk.untilTool("the command", ({ name, status }) => name === command && status === "running");
  await writeFile(bin.join("announced"), "");
  await talk.untilEnded();
  await Bun.file(bin.join("announced")).delete();
  expect(await readFile(bin.join("commands"), "utf8")).toContain(command);
  expect(talk.tools.at(-1)).toMatchObject({ kind: "execute", name: command });
  expect(talk.entries.at(-1)?.content).toBe("It ran.");
  expectSettled(talk);
}

test.skipIf(isLeftOut)(
  "TC-3.3c a command that the sandbox of Codex stops shows why, also under a bubblewrap older than 0.9 (B11)",
  async () => {
    await using scene = await openAgentScene(codex);
    const talk = await scene.newSession();
    await talk.askFirst();
    await runInSandbox(talk, "echo one; echo two");
    expect(talk.tools.at(-1)).toMatchObject({ status: "complete", result: "one\ntwo\n" });
    await runInSandbox(talk, "echo x > stopped.txt");
    expect(talk.tools.at(-1)?.status).toBe("error");
    expect(talk.tools.at(-1)?.error).toContain("stopped.txt: Read-only file system");
    // A quick one may have no call on the wire. What there is ends well.
    const before = talk.tools.length;
    await writeFile(bin.join("announced"), "");
    await talk.run(shell("echo x > quick.txt"), "say: It was stopped.");
    await Bun.file(bin.join("announced")).delete();
    expect(talk.entries.at(-1)?.content).toBe("It was stopped.");
    expect(talk.tools.slice(before).filter(({ status }) => status !== "error")).toEqual([]);
    expect(await Bun.file(join(talk.directory, "quick.txt")).exists()).toBe(false);
    expectSettled(talk);
  },
);

test.skipIf(isLeftOut)("TC-3.3c a sandbox of Codex that does not start shows why (B11)", async () => {
  const careless: RealAgent = {
    ...codex,
    async settle(home, modelOrigin) {
      const { TMPDIR: _, ...env } = await codex.settle(home, modelOrigin);
      return env;
    },
  };
  await using scene = await openAgentScene(careless);
  const talk = await scene.newSession();
  await talk.askFirst();
  await runInSandbox(talk, "echo one; echo two");
  expect(talk.tools.at(-1)?.status).toBe("error");
  // Which error follows depends on the folders of PATH that this user may look into.
  expect(talk.tools.at(-1)?.error).toContain("bwrap: execvp codex-linux-sandbox: ");
});
