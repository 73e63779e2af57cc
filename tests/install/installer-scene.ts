import { existsSync, readdirSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { AgentInstaller } from "../../src/agents/install/agent-installer.ts";
import type { PackageTool } from "../../src/agents/install/fetch-package.ts";
import type { InstallProgress, InstallTarget } from "../../src/agents/install/install-target.ts";
import { InstalledAgents } from "../../src/agents/install/installed-agents.ts";
import { Lifeline } from "../../src/agents/process/lifeline.ts";
import { LocalProcessHost } from "../../src/agents/process/local-process-host.ts";
import { ProcessLedger } from "../../src/agents/process/process-ledger.ts";
import { RefusalError } from "../../src/protocol/errors.ts";
import { CliType } from "../../src/protocol/ids.ts";
import { watchProcesses } from "../support/leftover-processes.ts";
import { type TempDir, tempDir } from "../support/temp-dir.ts";
import { LoopbackRegistry } from "./loopback-registry.ts";

const GONE_WITHIN_MS = 30_000;
const ANSWER_TIMEOUT_MS = 60_000;

export const ACME = CliType.parse("acme");

interface SceneOptions {
  readonly tool?: PackageTool;
  readonly freeBytesMin?: number;
  readonly answerTimeoutMs?: number;
  /** The user's own settings; by default they name the scene's registry. */
  readonly npmrc?: (registry: LoopbackRegistry) => string;
}

/** A real installer with a data directory, a home and a package registry of its own. */
export class InstallerScene implements AsyncDisposable {
  readonly registry = new LoopbackRegistry();
  readonly progress: InstallProgress[] = [];
  readonly changed: CliType[] = [];
  readonly installed: InstalledAgents;
  readonly installer: AgentInstaller;
  readonly folder: string;
  /** The pool's answer: whether no process of the agent is at work. */
  isIdle = true;
  isInstallable = true;
  target: InstallTarget = {
    id: ACME,
    name: "Acme Agent",
    package: { name: "@acme/agent", version: "1.0.0" },
    args: [],
    env: {},
  };
  readonly #awaited = new Map<InstallProgress["phase"], () => void>();
  readonly #dir: TempDir;
  readonly #lifeline: Lifeline;
  readonly #processes = watchProcesses();

  private constructor(dir: TempDir, options: SceneOptions) {
    this.#dir = dir;
    this.folder = dir.join("agents");
    const env = { PATH: process.env["PATH"] ?? "", HOME: dir.join("home"), ...this.#processes.env };
    this.#lifeline = new Lifeline("install-test", env);
    this.installed = new InstalledAgents({
      folder: this.folder,
      runtimes: { bun: [process.execPath], node: () => Bun.which("node") },
      warn: (text) => {
        throw new Error(text);
      },
    });
    this.installer = new AgentInstaller({
      installed: this.installed,
      world: { now: Date.now, newId: () => crypto.randomUUID() },
      host: new LocalProcessHost(this.#lifeline, new ProcessLedger("/dev/null"), (error) => {
        throw error;
      }),
      packageTool: () => options.tool ?? { kind: "bun", command: [process.execPath] },
      toolEnv: () => env,
      agentEnv: async () => env,
      clientVersion: "0.0.0",
      answerTimeoutMs: options.answerTimeoutMs ?? ANSWER_TIMEOUT_MS,
      freeBytesMin: options.freeBytesMin ?? 0,
      target: (id) => (id === ACME && this.isInstallable ? this.target : null),
      nameOf: (id) => (id === ACME ? this.target.name : null),
      release: () => this.isIdle,
      onProgress: (progress) => {
        this.progress.push(progress);
        this.#awaited.get(progress.phase)?.();
      },
      onChanged: (id) => this.changed.push(id),
    });
  }

  static async open(options: SceneOptions = {}): Promise<InstallerScene> {
    const dir = await tempDir();
    const scene = new InstallerScene(dir, options);
    await mkdir(dir.join("home"));
    const settings = options.npmrc ?? (({ url }) => `registry=${url}\n`);
    await writeFile(dir.join("home", ".npmrc"), settings(scene.registry));
    return scene;
  }

  /** How an install was refused; one that succeeds is a failure of the test. */
  async refusalOf(acting: Promise<unknown>): Promise<string> {
    try {
      await acting;
    } catch (error) {
      if (error instanceof RefusalError && error.refusal.code === "AGENT_UNAVAILABLE") return error.refusal.message;
      throw error;
    }
    throw new Error("it was not refused");
  }

  /** The content of the agent's folder; null when there is none. */
  files(): string[] | null {
    const folder = join(this.folder, ACME);
    return existsSync(folder) ? readdirSync(folder).sort() : null;
  }

  /** The reported phases, each once. */
  phases(): string[] {
    return [...new Set(this.progress.map(({ phase }) => phase))];
  }

  untilPhase(phase: InstallProgress["phase"]): Promise<void> {
    return new Promise((resolve) => this.#awaited.set(phase, resolve));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.installer.stop();
    await this.#lifeline.stop();
    const left = await this.#processes.leftAfter(GONE_WITHIN_MS);
    this.#processes[Symbol.dispose]();
    await this.registry[Symbol.asyncDispose]();
    await this.#dir[Symbol.asyncDispose]();
    if (left.length > 0) throw new Error(`Processes were left behind: ${Bun.inspect(left)}`);
  }
}
