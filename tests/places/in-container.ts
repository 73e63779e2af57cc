import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { existsSync, realpathSync } from "node:fs";
import { dirname } from "node:path";
import type { Place } from "../../src/places/place.ts";
import { COMMANDS_TIMEOUT_MS } from "../cli/liminal.ts";
import { tempDir } from "../support/temp-dir.ts";
import { PROGRAM, ROOT, START } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";
import { ECHO, type Machine, machine, SHARED } from "./machine.ts";
import { carriesAgents, hasWorkspace, hasWorktrees } from "./one-suite.ts";

const LEFT_MS = 20_000;
/** What a container without an image of its own has: it runs until it is removed. */
export const ENDLESS = ["/bin/sh", "-c", "while :; do sleep 1000 & wait; done"];
/** Where systems without a merged /usr have their programs, too. */
export const LINKS = ["bin", "sbin", "lib", "lib64"];
export const EMPTY = ["dev", "etc", "proc", "run", "sys", "tmp", "usr"];

/** One container on this machine, with an empty root: of this machine it has the programs, ours and one home. */
export interface Box extends AsyncDisposable {
  /** What its command needs. */
  readonly env: Readonly<Record<string, string>>;
  /** Runs until it is removed. Throws a RefusedError. */
  start(home: string): Promise<void>;
  /** The command that leads into it. */
  exec(env: Readonly<Record<string, string>>, ...words: readonly string[]): readonly string[];
  /** With everything that runs in it. */
  remove(): Promise<void>;
}

/** The engine of containers refused, in its own words. */
export class RefusedError extends Error {
  override readonly name = "RefusedError";
}

/** Its mounts and limits, as Podman and Docker take them. */
export function boxOptions(home: string): readonly string[] {
  const mount = (path: string, mode: "ro" | "rw") => ["--volume", `${path}:${path}:${mode}`];
  const seen = new Set([ROOT, dirname(PROGRAM), dirname(realpathSync(process.execPath)), dirname(process.execPath)]);
  const read = [...seen].filter((path) => !path.startsWith("/usr/")).flatMap((path) => mount(path, "ro"));
  const limits = ["nofile=1024:1024", "nproc=1024:1024"].flatMap((limit) => ["--ulimit", limit]);
  return [
    ...["--network", "none", ...limits, ...mount("/usr", "ro"), ...mount("/etc/passwd", "ro")],
    ...[...read, ...mount(home, "rw")],
  ];
}

/** What it printed. Throws a RefusedError. */
export async function runEngine(
  words: readonly string[],
  { env, stdin = "ignore" }: { env: Readonly<Record<string, string>>; stdin?: "ignore" | Uint8Array },
): Promise<string> {
  const child = Bun.spawn([...words], { env, stdin, stdout: "pipe", stderr: "pipe" });
  const [said, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  if ((await child.exited) !== 0) throw new RefusedError(errors.trim().split("\n").at(-1));
  return said.trim();
}

export const execOptions = (env: Readonly<Record<string, string>>): readonly string[] =>
  Object.entries(env).flatMap(([name, value]) => ["--env", `${name}=${value}`]);

/** Why no container of this machine runs here; null if one does. An engine may also be one of another machine. */
export async function reasonAgainst(open: () => Promise<Box>): Promise<string | null> {
  await using dir = await tempDir();
  await using box = await open();
  try {
    await box.start(dir.path);
    await runEngine(box.exec({}, "/bin/sh", "-c", 'test -e "$0" && : > "$1/seen"', PROGRAM, dir.path), box);
    return existsSync(dir.join("seen")) ? null : "its containers have other files than this machine";
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    return `no container starts: ${error.message}`;
  }
}

/** All that a place in a container has to do, whatever runs the container. */
export function describeBox(engine: string, whyNot: string | null, open: () => Promise<Box>): void {
  const where = `in a real container of ${engine}${whyNot === null ? "" : ` (skipped: ${whyNot})`}`;

  describe.skipIf(whyNot !== null)(`[SC-32] a place ${where}`, () => {
    let at: Machine;
    let box: Box;
    let setting: Place;

    beforeAll(async () => {
      at = await machine();
      box = await open();
      await box.start(at.home);
      const env = { HOME: at.home, PATH: "/usr/local/bin:/usr/bin:/bin", ...at.processes.env };
      setting = { ...SHARED, kind: "command", command: box.exec(env, ...START, "runner") };
    });
    afterAll(async () => {
      await box[Symbol.asyncDispose]();
      await at[Symbol.asyncDispose]();
    });

    it(
      "[SC-27] carries agents and files; no line is lost or doubled when it is cut",
      async () => {
        await carriesAgents(at, at.link({ setting, env: box.env }), (pid) => {
          Bun.spawnSync([...box.exec({}, "/bin/sh", "-c", `kill -9 ${pid}`)], { env: box.env });
        });
      },
      COMMANDS_TIMEOUT_MS,
    );

    it(
      "[SC-26] [SC-33] has changes, checkpoints, terminals and worktrees",
      async () => {
        const link = at.link({ setting, epoch: 2, env: box.env });
        await hasWorkspace(at, link);
        await hasWorktrees(at, link);
      },
      COMMANDS_TIMEOUT_MS,
    );

    it(
      "[SC-29] [SC-34] keeps its agents for the next server, has no network, and leaves nothing when it is removed",
      async () => {
        at.lines.length = 0;
        at.cwd = null;
        const first = at.link({ setting, epoch: 3, env: box.env });
        at.start(first, "three", "/bin/sh", "-c", `cat /proc/net/route | wc -l; ls /root 2>/dev/null; ${ECHO}`);
        await at.said("ready");
        expect(at.lines).toEqual(["1", "ready"]);
        first.end();
        const [left, ...others] = await at.link({ setting, epoch: 4, env: box.env }).survivors(LEFT_MS);
        expect(others).toEqual([]);
        const lines: string[] = [];
        const agent = left?.start({
          ...{ command: [], cwd: at.home, env: {}, onLine: (line) => void lines.push(line) },
          ...{ onStderr: () => undefined, onTooLong: () => undefined },
        });
        agent?.takePast();
        agent?.write("again");
        await waitFor(
          () => lines,
          (all) => all.includes("got again"),
          "the agent of the server before",
        );
        await box.remove();
        expect(await at.processes.leftAfter(LEFT_MS)).toEqual([]);
      },
      COMMANDS_TIMEOUT_MS,
    );
  });
}
