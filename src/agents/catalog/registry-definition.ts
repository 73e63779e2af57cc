import { basename } from "node:path";
import type { CliType } from "../../protocol/ids.ts";
import { type InstallTarget, parsePackageSpec } from "../install/install-target.ts";
import type { InstalledAgent } from "../install/installed-agents.ts";
import {
  type AgentDefinition,
  type AgentDetails,
  defaultProcess,
  idOfEntry,
  REGISTRY_ALIASES,
  RETRY_DELAYS_MS,
  SERVES_ALL,
} from "./agent-definition.ts";
import type { KnownEntry } from "./agent-registry.ts";

export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The path of a program, or null. */
  readonly which: (program: string) => string | null;
  readonly installed: (id: CliType) => InstalledAgent | null;
}

/** Converts a registry entry to an agent definition; the command is looked up on each access. */
export function registryDefinition(entry: KnownEntry, around: Surroundings): AgentDefinition | null {
  const id = idOfEntry(entry.id);
  if (!id) return null;
  return {
    id,
    name: nameOf(entry),
    get command() {
      return ownCommand(entry, around) ?? around.installed(id)?.command ?? foundCommand(entry, around.which);
    },
    get env() {
      return around.installed(id)?.env ?? distributionOf(entry).env ?? {};
    },
    process: defaultProcess(id),
    retryDelaysMs: RETRY_DELAYS_MS,
    serves: SERVES_ALL,
    installHint: hintOf(entry),
    get details() {
      return detailsOf(entry, id, around);
    },
  };
}

/** What installing an entry means; null if it is not possible, or if the user's own command would have priority. */
export function installTargetOf(entry: KnownEntry, around: Surroundings): InstallTarget | null {
  const id = idOfEntry(entry.id);
  const { npx } = entry.distribution;
  const spec = npx && parsePackageSpec(npx.package, entry.version);
  if (!id || !spec || ownCommand(entry, around)) return null;
  return {
    id,
    name: nameOf(entry),
    package: spec,
    ...(npx.cmd !== undefined && { program: npx.cmd }),
    args: npx.args ?? [],
    env: npx.env ?? {},
  };
}

function nameOf(entry: KnownEntry): string {
  return REGISTRY_ALIASES.get(entry.id)?.name ?? entry.name;
}

function detailsOf(entry: KnownEntry, id: CliType, around: Surroundings): AgentDetails {
  const target = installTargetOf(entry, around);
  const installed = around.installed(id);
  return {
    version: target?.package.version ?? entry.version,
    description: entry.description,
    installable: target !== null,
    ...(installed && { installedVersion: installed.version }),
    ...(installed?.previousVersion && { previousVersion: installed.previousVersion }),
  };
}

/** The command line that the user set in the environment. */
function ownCommand(entry: KnownEntry, { env }: Surroundings): readonly string[] | null {
  const alias = REGISTRY_ALIASES.get(entry.id);
  const words = splitCommand((alias && env[alias.variable]) ?? "");
  return words.length > 0 ? words : null;
}

/** A program that the user installed by other means. */
function foundCommand(entry: KnownEntry, which: Surroundings["which"]): readonly string[] | null {
  const { args = [] } = distributionOf(entry);
  const found = programsOf(entry)
    .map(which)
    .find((path) => path !== null);
  if (found) return [found, ...args];
  const { uvx } = entry.bundled ?? {};
  const runner = uvx ? which("uvx") : null;
  if (!uvx || !runner) return null;
  return [runner, ...(uvx.cmd === undefined ? [uvx.package] : ["--from", uvx.package, uvx.cmd]), ...args];
}

function programsOf(entry: KnownEntry): readonly string[] {
  const { cmd } = distributionOf(entry);
  return entry.programs ?? (cmd === undefined ? [] : [programName(cmd)]);
}

/** Vendors write `./goose`, `bin/devin` and `dist\\agent.exe`; on the PATH it is the last part. */
function programName(cmd: string): string {
  return basename(cmd.replaceAll("\\", "/")).replace(/\.exe$/i, "");
}

type Start = {
  readonly cmd?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
};

/** How it is started if we did not install it: the first usable distribution. */
function distributionOf({ bundled }: KnownEntry): Start {
  const { npx, uvx, binary } = bundled ?? {};
  const { cmd, args, env } = npx ?? uvx ?? Object.values(binary ?? {})[0] ?? {};
  return { ...(cmd !== undefined && { cmd }), ...(args && { args }), ...(env && { env }) };
}

/** What the user can do to install it. */
function hintOf(entry: KnownEntry): string {
  const [program] = programsOf(entry);
  const onPath = program === undefined ? "" : ` so that \`${program}\` is on your PATH`;
  const { npx, uvx } = entry.distribution;
  if (npx && parsePackageSpec(npx.package, entry.version))
    return program === undefined ? "Choose Install." : `Choose Install, or install it yourself${onPath}.`;
  if (uvx) return "It runs through uv. Install uv so that `uvx` is on your PATH, then try again.";
  const vendor = entry.vendor ?? `${entry.name} from its vendor`;
  return `Installing it from here is not supported yet. Install ${vendor}${onPath}, then try again.`;
}

/** Splits a command line like a shell, without running one: quotes and backslashes work, nothing expands. */
export function splitCommand(line: string): string[] {
  const words: string[] = [];
  let word = "";
  let inWord = false;
  let quote: string | null = null;
  for (let at = 0; at < line.length; at++) {
    const char = line.charAt(at);
    if (char === "\\" && quote !== "'" && at + 1 < line.length) {
      word += line.charAt(++at);
      inWord = true;
    } else if (quote !== null) {
      if (char === quote) quote = null;
      else word += char;
    } else if (char === '"' || char === "'") {
      quote = char;
      inWord = true;
    } else if (/\s/.test(char)) {
      if (inWord) words.push(word);
      word = "";
      inWord = false;
    } else {
      word += char;
      inWord = true;
    }
  }
  return inWord ? [...words, word] : words;
}
