import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import { dirname, isAbsolute, join, normalize } from "node:path";
import { z } from "zod/mini";
import { agentEnvironment } from "../agents/process/agent-environment.ts";
import { parseJson } from "../lib/parse-json.ts";
import { PlacePaths, PlaceVariables } from "../protocol/places.ts";

/** What agents behind a fence may use beside the directory of their session. */
export const Fence = z.object({
  /** False: none at all, so that no model elsewhere can be asked either. */
  network: z.boolean(),
  read: PlacePaths,
  write: PlacePaths,
  /** Names of variables of the environment. */
  variables: PlaceVariables,
  /** Directories that no agent gets, whatever the settings say. */
  hidden: z.array(z.string()),
});
export type Fence = z.infer<typeof Fence>;

/** As `liminal runner --fence` gets it; null if it is none. */
export function readFence(text: string): Fence | null {
  return Fence.safeParse(parseJson(text)).data ?? null;
}

export interface FencedProcess {
  readonly command: readonly string[];
  /** A real path. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

interface FenceGround {
  readonly home: string;
  /** Of the runner: its vaults and sockets. */
  readonly dir: string;
  /** Below it, with the socket that leads to our tools; null if there is none. */
  readonly tools: string | null;
  /** What our own programs read. */
  readonly programs: readonly string[];
}

/** A process cannot be started behind this fence. The message says what to change. */
export class FenceError extends Error {
  override readonly name = "FenceError";
}

/** Programs and libraries of the system. On many systems some of them are links to others. */
const SYSTEM = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix/store"];
/** What programs need to find libraries, names, hosts and certificates: nothing in there is secret. */
const SYSTEM_FILES = [
  "alternatives",
  "ca-certificates",
  "ca-certificates.conf",
  "crypto-policies",
  "group",
  "host.conf",
  "hosts",
  "inputrc",
  "ld.so.cache",
  "ld.so.conf",
  "ld.so.conf.d",
  "localtime",
  "mime.types",
  "nsswitch.conf",
  "os-release",
  "passwd",
  "pki",
  "protocols",
  "resolv.conf",
  "services",
  "ssl/certs",
  "ssl/openssl.cnf",
  "terminfo",
  "timezone",
].map((name) => `/etc/${name}`);
const VARIABLES = /^(?:PATH|HOME|SHELL|USER|LOGNAME|LANG|LANGUAGE|LC_\w+|TERM|COLORTERM|TZ)$/;

/** Everything is apart from the rest of the machine, and ends with the holder of the agent. No right is left to gain. */
const APART = [
  ...["--die-with-parent", "--unshare-user-try", "--unshare-ipc", "--unshare-pid", "--unshare-uts"],
  ...["--unshare-cgroup-try", "--cap-drop", "ALL"],
];
/** As many as the system itself follows. */
const LINKS_MAX = 40;
const NO_NETWORK = "--unshare-net";

/** The command and environment that run an agent behind the fence. Throws a FenceError. */
export function fenced(agent: FencedProcess, fence: Fence, ground: FenceGround): FencedProcess {
  const { cwd, env } = agent;
  const { home, dir, tools, programs } = ground;
  const homes = [home, realOr(home)];
  const hidden = [...new Set([dir, ...fence.hidden].flatMap((path) => [path, realOr(path)]))];
  const open = (path: string, flag: string, from: string): Mount => {
    const [to, real] = [withoutEnd(normalize(path)), realOr(path)];
    for (const place of [to, real])
      if ([...homes, ...hidden].some((one) => contains(place, one)) || hidden.some((one) => contains(one, place)))
        throw new FenceError(
          `${path} cannot be let in by the fence, because all of your home or files of Liminal Builder would be open with it. ${from}`,
        );
    return { flag, real, to };
  };
  const writable = [cwd, ...fence.write.map((path) => realOr(wholePath(path, home)))];
  const named = (paths: readonly string[], key: string, flag: string) =>
    paths.map((path) => {
      const whole = wholePath(path, home);
      const fix = `Correct "${key}" of the place.`;
      if (!isThere(whole)) throw new FenceError(`${path} does not exist. ${fix}`);
      const mount = open(whole, flag, fix);
      if (writable.some((one) => isLedOut(mount.to, one)))
        throw new FenceError(
          `${path} leads to ${mount.real}, by a link that an agent can make or change. Remove the link, or name that path itself. ${fix}`,
        );
      return mount;
    });
  const mounts: readonly Mount[] = [
    // Each call on it needs the token of a session.
    ...(tools === null ? [] : [{ flag: "--ro-bind", real: realOr(tools), to: tools }]),
    ...programs.filter(isThere).map((path): Mount => ({ flag: "--ro-bind", real: realOr(path), to: path })),
    ...named(fence.read, "read", "--ro-bind"),
    open(cwd, "--bind", "Choose a directory below it for the project."),
    // Hooks and settings in there are programs, which Git would run outside of the fence.
    ...[join(cwd, ".git")].filter(isNoLink).map((path): Mount => ({ flag: "--ro-bind", real: path, to: path })),
    ...named(fence.write, "write", "--bind"),
  ];
  const covers = hidden
    .filter((path) => isThere(path) && isOpen(path, [...SYSTEM_MOUNTS, ...mounts]))
    .map((path) => ({ to: path, said: ["--tmpfs", path] }));
  const words = [
    bubblewrap(env),
    ...APART,
    ...(fence.network ? [] : [NO_NETWORK]),
    ...SYSTEM.flatMap(systemWords),
    ...SYSTEM_FILES.flatMap((path) => ["--ro-bind-try", path, path]),
    ...["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--dir", "/var/tmp"],
    ...(home === "/" ? [] : ["--tmpfs", home]),
    // What lies in another one comes after it. Of the same path the last one counts.
    ...[...mounts.map(({ flag, real, to }) => ({ to, said: [flag, real, to] })), ...covers]
      .toSorted((a, b) => a.to.length - b.to.length)
      .flatMap(({ said }) => said),
    ...["--chdir", cwd, "--"],
  ];
  checkProgram(agent, mounts);
  const kept = Object.entries(env).filter(([name]) => VARIABLES.test(name) || fence.variables.includes(name));
  return { command: [...words, ...agent.command], cwd, env: Object.fromEntries(kept) };
}

/**
 * Throws a FenceError if the directory of a session is not what it was when its project was added. An agent may have put
 * a link in its place, to be let in where it leads.
 */
export function checkDirectory(asked: string, real: string, home: string): void {
  if (withoutEnd(normalize(wholePath(asked, home))) === real) return;
  throw new FenceError(
    `${asked} leads to ${real}. If an agent made that link, remove it. If you did, add a project with the path ${real}.`,
  );
}

/** Why nothing can be fenced on this machine, with the fix; null if it can. */
export async function fenceProblem(
  { network }: Pick<Fence, "network">,
  inherited: Readonly<Record<string, string | undefined>>,
): Promise<string | null> {
  const env = agentEnvironment(inherited);
  try {
    const words = [bubblewrap(env), ...APART, ...(network ? [] : [NO_NETWORK])];
    const child = Bun.spawn([...words, "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "--", "/bin/true"], {
      ...{ env, stdin: "ignore", stdout: "ignore", stderr: "pipe" },
    });
    const said = await new Response(child.stderr).text();
    if ((await child.exited) === 0) return null;
    return `Bubblewrap cannot fence anything here (${said.trim().split("\n").at(-1)}): allow user namespaces, or use a container.`;
  } catch (error) {
    if (error instanceof FenceError) return error.message;
    throw error;
  }
}

interface Mount {
  readonly flag: string;
  readonly real: string;
  readonly to: string;
}

function bubblewrap(env: Readonly<Record<string, string>>): string {
  if (process.platform !== "linux")
    throw new FenceError("A fence needs Linux: on this system, use a container as a place.");
  const path = Bun.which("bwrap", { PATH: env["PATH"] ?? "" });
  if (path === null) throw new FenceError("Bubblewrap is not installed: install the package bubblewrap.");
  return path;
}

function systemWords(path: string): string[] {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat?.isSymbolicLink()) return ["--symlink", readlinkSync(path), path];
  return stat ? ["--ro-bind", path, path] : [];
}

/** Reported before the start: the system would only report a missing file. */
function checkProgram({ command, cwd, env }: FencedProcess, mounts: readonly Mount[]): void {
  const [name = ""] = command;
  const found = Bun.which(name, { PATH: env["PATH"] ?? "", cwd });
  if (found === null) throw new FenceError(`${name} was not found. Install it, or correct the agents of the place.`);
  const hidden = [found, realOr(found)].find((path) => !isOpen(path, [...SYSTEM_MOUNTS, ...mounts]));
  if (hidden !== undefined)
    throw new FenceError(
      `The fence hides ${hidden}. Add ${dirname(hidden)}, or the directory of all that the agent needs, to "read" of the place.`,
    );
}

const SYSTEM_MOUNTS: readonly Mount[] = SYSTEM.map((path) => ({ flag: "--ro-bind", real: path, to: path }));

function isOpen(path: string, mounts: readonly Mount[]): boolean {
  return mounts.some(({ to }) => contains(to, path));
}

function contains(directory: string, path: string): boolean {
  return path === directory || path.startsWith(directory === "/" ? "/" : `${directory}/`);
}

function wholePath(path: string, home: string): string {
  return path === "~" || path.startsWith("~/") ? join(home, path.slice(1)) : path;
}

function withoutEnd(path: string): string {
  return path.replace(/(?<=.)\/$/, "");
}

/**
 * The path goes through an element in the directory, but does not end there: whoever writes there decides where it
 * leads.
 */
function isLedOut(path: string, directory: string): boolean {
  if (contains(directory, realOr(path))) return false;
  let at = "/";
  const left = path.split("/");
  for (let links = 0; left.length > 0 && links <= LINKS_MAX; ) {
    at = join(at, left.shift() ?? "");
    if (at !== directory && contains(directory, at)) return true;
    const target = linkTarget(at);
    if (target === null) continue;
    links++;
    left.unshift(...target.split("/"));
    at = isAbsolute(target) ? "/" : dirname(at);
  }
  return false;
}

/** Null if it is no link. */
function linkTarget(path: string): string | null {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ? readlinkSync(path) : null;
}

/** An agent may have made the link, to be let in where it leads. */
function isNoLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === false;
}

function isThere(path: string): boolean {
  return isAbsolute(path) && lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** Itself if it leads nowhere. */
function realOr(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if (!(error instanceof Error) || !("code" in error)) throw error;
    return path;
  }
}
