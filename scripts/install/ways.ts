import { copyFileSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { UseClient } from "./journey.ts";
import { runTool } from "./run-tool.ts";
import { npmProgram, obtainTool, type Tool } from "./tools.ts";

/** One way in which users get the program. */
export interface Way {
  readonly name: string;
  /** The system starts the server, not the user. */
  readonly isService?: true;
  /** Installs it into the folder; returns the path of the command. Throws if it fails or prints an alarming message. */
  install(folder: string): Promise<string>;
  /** Type-checks and runs a program that imports the client. The executable has no package to import it from. */
  useClient(folder: string): UseClient;
  /** Removes what `install` put there, as a user would. */
  remove(folder: string): Promise<void>;
}

/** What all ways install. */
export interface Made {
  readonly cache: string;
  readonly tarball: string;
  readonly executable: string;
}

export const NODES = ["node20", "node22", "node24"] as const satisfies readonly Tool[];

/** Messages that would alarm users. */
const ALARMING = /\bwarn(?:ing)?\b|EBADENGINE|deprecated|build scripts|vulnerabilit/i;
/** About this machine's settings or about an empty project, not about the package. */
const NOT_OURS =
  /Unknown (?:user|env|project|builtin) config|No license field|package\.json: No license|No lockfile found|"[^"]+" is already in/;

const TSC = join(import.meta.dirname, "../../node_modules/typescript/bin/tsc");
const TSC_OPTIONS = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2022", "--lib", "es2024,dom"];
/** Correct code compiles, and incorrect code does not. */
const TYPED_PROGRAM = `import { LiminalApiError, LiminalClient } from "liminal-builder/client";
const client = new LiminalClient({ origin: "http://127.0.0.1:3000", token: "a" });
const { projects } = await client.call("listProjects", {});
const names: string[] = projects.map(({ name }) => name);
const { sessionId } = await client.call("createSession", { projectId: projects[0]?.id ?? "", cliType: "builtin" });
await client.call("sendMessage", { sessionId, content: names.join() }, { idempotencyKey: "1" });
for await (const message of client.follow({ sessionId }))
  if (message.type === "session:history") console.log(message.entries.length, LiminalApiError.name);
// @ts-expect-error content is a text
await client.call("sendMessage", { sessionId, content: 5 });
// @ts-expect-error there is no such operation
await client.call("makeCoffee", {});
// @ts-expect-error a project has no such field
console.log(projects[0]?.colour);
`;
const PROGRAM = `import { LiminalApiError, LiminalClient } from "liminal-builder/client";
const server = JSON.parse(process.env.SERVER);
const { projects } = await new LiminalClient(server).call("listProjects", {});
const wrong = new LiminalClient({ ...server, token: "wrong" });
const refused = await wrong.call("listProjects", {}).catch((error) => error);
console.log(projects.length, refused instanceof LiminalApiError ? refused.code : refused);
`;

/** The four package managers, each run by this Node. */
export function packageWays(node: Tool | "this Node", { cache, tarball }: Made): readonly Way[] {
  const nodePath = () => (node === "this Node" ? Bun.which("node") : obtainTool(cache, node));
  const way = (name: string, tool: () => Promise<string> | string, add: readonly string[], remove: readonly string[]) =>
    packageWay(`${name}, ${node}`, async () => [String(await nodePath()), String(await tool())], add, remove, tarball);
  return [
    way("npm", npmProgram, ["install", "--no-audit", "--no-fund"], ["uninstall", "liminal-builder"]),
    way("pnpm", () => obtainTool(cache, "pnpm"), ["add"], ["remove", "liminal-builder"]),
    way("yarn", () => obtainTool(cache, "yarn"), ["add", "--non-interactive"], ["remove", "liminal-builder"]),
  ];
}

/** `npx` of the packed file, and the command and its manual for the whole system. */
export function globalWay({ tarball }: Made): Way {
  const run = runnerOf(() => [String(Bun.which("node")), npmProgram()]);
  const own = (folder: string) => ["--prefix", join(folder, "system"), "--global", "--no-audit", "--no-fund"];
  return {
    name: "npx and npm --global, this Node",
    install: async (folder) => {
      mkdirSync(join(folder, "project"), { recursive: true });
      const once = await run(folder, ["exec", "--yes", "--package", tarball, "--", "liminal", "--version"]);
      const output = await run(folder, ["install", ...own(folder), tarball]);
      expectQuiet(once + output);
      const command = join(folder, "system/bin/liminal");
      const { stdout } = await runTool([command, "--version"], { cwd: folder, env: {} });
      if (!once.includes(stdout)) throw new Error(`npx runs another version than ${stdout}: ${once}`);
      if (!existsSync(join(folder, "system/share/man/man1/liminal.1")))
        throw new Error("the manual is not where man looks for it");
      return command;
    },
    useClient: () => async () => undefined,
    remove: async (folder) => {
      await run(folder, ["uninstall", ...own(folder), "liminal-builder"]);
      if (existsSync(join(folder, "system/bin/liminal"))) throw new Error("the command is still there");
    },
  };
}

/** Bun needs no Node. */
export function bunWay({ tarball }: Made): Way {
  return packageWay("bun", async () => [process.execPath], ["add"], ["remove", "liminal-builder"], tarball);
}

export function executableWay({ executable }: Made): Way {
  return {
    name: "executable",
    install: async (folder) => {
      const command = join(folder, "bin", "liminal");
      mkdirSync(dirname(command), { recursive: true });
      copyFileSync(executable, command);
      return command;
    },
    useClient: () => async () => undefined,
    remove: async (folder) => rmSync(join(folder, "bin"), { recursive: true, force: true }),
  };
}

/** The executable, started and restarted by systemd. */
export function serviceWay(made: Made): Way {
  return { ...executableWay(made), name: "executable, as a service", isService: true };
}

type Run = (folder: string, words: readonly string[]) => Promise<string>;

/** Runs a package manager in the folder's project, with the folder as its home; returns its output. */
function runnerOf(tool: () => Promise<readonly string[]> | readonly string[]): Run {
  return async (folder, words) => {
    const command = await tool();
    const [node = ""] = command;
    // The package managers themselves start "node" by name.
    mkdirSync(join(folder, "tools"), { recursive: true });
    if (!existsSync(join(folder, "tools/node"))) symlinkSync(node, join(folder, "tools/node"));
    const env = {
      PATH: `${join(folder, "tools")}:${process.env["PATH"]}`,
      HOME: folder,
      npm_config_cache: join(folder, ".npm"),
    };
    const { code, output } = await runTool([...command, ...words], { cwd: join(folder, "project"), env });
    if (code !== 0) throw new Error(`${words.join(" ")} failed: ${output.slice(-2_000)}`);
    return output;
  };
}

function expectQuiet(output: string): void {
  const alarming = output.split("\n").filter((line) => ALARMING.test(line) && !NOT_OURS.test(line));
  if (alarming.length > 0) throw new Error(`the install is not quiet:\n${alarming.join("\n")}`);
}

function packageWay(
  name: string,
  tool: () => Promise<readonly string[]>,
  add: readonly string[],
  remove: readonly string[],
  tarball: string,
): Way {
  const run = runnerOf(tool);
  return {
    name,
    install: async (folder) => {
      mkdirSync(join(folder, "project"), { recursive: true });
      writeFileSync(
        join(folder, "project/package.json"),
        JSON.stringify({ name: "project", version: "1.0.0", private: true }),
      );
      expectQuiet(await run(folder, [...add, tarball]));
      return join(folder, "project/node_modules/.bin/liminal");
    },
    useClient: (folder) => async (server) => {
      const project = join(folder, "project");
      const [runtime = ""] = await tool();
      writeFileSync(join(project, "use-client.mts"), TYPED_PROGRAM);
      writeFileSync(join(project, "use-client.mjs"), PROGRAM);
      const checked = await runTool([process.execPath, TSC, ...TSC_OPTIONS, "use-client.mts"], {
        cwd: project,
        env: {},
      });
      if (checked.code !== 0) throw new Error(`the types of the client are wrong:\n${checked.output.slice(-2_000)}`);
      const env = { SERVER: JSON.stringify(server) };
      const { code, stdout, output } = await runTool([runtime, "use-client.mjs"], { cwd: project, env });
      if (code !== 0 || stdout !== "1 UNAUTHORIZED\n")
        throw new Error(`the client does not work: ${output.slice(-2_000)}`);
    },
    remove: async (folder) => {
      await run(folder, remove);
      if (existsSync(join(folder, "project/node_modules/liminal-builder")))
        throw new Error("the package is still there after it was removed");
    },
  };
}
