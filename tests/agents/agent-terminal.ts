import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Glob } from "bun";
import { agentCache } from "../../scripts/agents/agent-packages.ts";
import { waitFor } from "../support/wait-for.ts";
import { Screen } from "../terminals/screen.ts";
import type { RealAgent } from "./real-agents.ts";

const COLUMNS = 100;
const ROWS = 40;
const ENTER = "\r";
/** No server listens there: connections of these programs to other machines are refused at once. */
const DEAD_PROXY = "http://127.0.0.1:9";

interface Program {
  /** As a user calls it. */
  readonly name: string;
  /** In the folder of all agents: the adapters bring the same program that a user installs. */
  readonly path: string;
  /** What ends it. */
  readonly leave: string;
  /** Answers what it would ask at its first start in a directory. */
  settle(env: Readonly<Record<string, string>>, directory: string): Promise<void>;
}

const PROGRAMS: Readonly<Record<RealAgent["name"], Program>> = {
  claude: {
    name: "claude",
    path: "*claude-agent-acp*/node_modules/@anthropic-ai/claude-agent-sdk-*/claude",
    leave: "/exit",
    async settle(env, directory) {
      const home = env["CLAUDE_CONFIG_DIR"] ?? "";
      const path = join(home, ".claude.json");
      const known = (await Bun.file(path).exists()) ? JSON.parse(await readFile(path, "utf8")) : {};
      const projects = { ...known.projects, [directory]: { ...known.projects?.[directory], ...TRUSTED } };
      const key = { approved: [env["ANTHROPIC_API_KEY"]], rejected: [] };
      const answers = { hasCompletedOnboarding: true, theme: "dark", customApiKeyResponses: key, projects };
      await writeFile(path, JSON.stringify({ ...known, ...answers }));
      const permissions = { defaultMode: "default", disableAutoMode: "disable" };
      await writeFile(join(home, "settings.json"), JSON.stringify({ permissions }));
    },
  },
  codex: {
    name: "codex",
    path: "*codex-acp*/node_modules/@openai/*/vendor/*/bin/codex",
    leave: "/quit",
    async settle(env, directory) {
      const path = join(env["CODEX_HOME"] ?? "", "config.toml");
      const known = await readFile(path, "utf8");
      const project = `[projects."${directory}"]`;
      if (!known.includes(project)) await writeFile(path, `${known}\n${project}\ntrust_level = "trusted"\n`);
    },
  },
};
const TRUSTED = { hasTrustDialogAccepted: true };

/** The agent's own program in a real terminal, as a user runs it. */
export class AgentTerminal implements AsyncDisposable {
  readonly #screen: Screen;
  readonly #child: Bun.Subprocess;
  readonly #program: Program;

  private constructor(screen: Screen, child: Bun.Subprocess, program: Program) {
    this.#screen = screen;
    this.#child = child;
    this.#program = program;
  }

  /** By a command of the shell, `claude` or `codex` among its words. */
  static async open(
    { name }: RealAgent,
    env: Readonly<Record<string, string>>,
    directory: string,
    command: string,
  ): Promise<AgentTerminal> {
    const program = PROGRAMS[name];
    await program.settle(env, directory);
    const screen = new Screen(COLUMNS, ROWS);
    const child = Bun.spawn(["/bin/sh", "-c", command], {
      cwd: "/",
      env: {
        ...env,
        HOME: directory,
        PATH: `${await folderWith(program, env)}:${process.env["PATH"] ?? ""}`,
        TERM: "xterm-256color",
        HTTPS_PROXY: DEAD_PROXY,
        NO_PROXY: "127.0.0.1",
      },
      terminal: { cols: COLUMNS, rows: ROWS, data: (_, bytes) => screen.write(bytes) },
    });
    return new AgentTerminal(screen, child, program);
  }

  shows(what: RegExp): Promise<string> {
    return waitFor(
      () => this.#screen.text(),
      (shown) => what.test(shown),
      `${what} in the terminal`,
    );
  }

  /** A message of the model is there, whole. */
  async answers(text: string): Promise<void> {
    await this.shows(new RegExp(`^[●•] ${text}$`, "m"));
  }

  /** Enter follows when the text is there: what comes with it may be taken for pasted. */
  async say(text: string): Promise<void> {
    this.press(text);
    await this.shows(new RegExp(`^[❯›]\\s${text}$`, "m"));
    this.press(ENTER);
  }

  press(keys: string): void {
    this.#child.terminal?.write(keys);
  }

  /** As a user leaves it. */
  async leave(): Promise<void> {
    await this.say(this.#program.leave);
    await this.#child.exited;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#child.exited;
    this.#child.terminal?.close();
    this.#screen[Symbol.dispose]();
  }
}

/** A folder for PATH. */
async function folderWith({ name, path }: Program, env: Readonly<Record<string, string>>): Promise<string> {
  const cache = agentCache(process.env);
  const [found] = new Glob(path).scanSync({ cwd: cache });
  if (found === undefined) throw new Error(`no ${path} in ${cache}`);
  const folder = join(env["CLAUDE_CONFIG_DIR"] ?? env["CODEX_HOME"] ?? "", "programs-for-the-test");
  if ((await mkdir(folder, { recursive: true })) !== undefined) await symlink(join(cache, found), join(folder, name));
  return folder;
}
