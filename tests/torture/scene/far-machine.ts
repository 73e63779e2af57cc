import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { CliType, SessionId } from "../../../src/protocol/ids.ts";
import { CAN_SSH, Sshd } from "../../places/sshd.ts";
import { ROOT } from "../../support/test-server.ts";
import { FaultyWire } from "./faulty-wire.ts";
import { FAR_CLOCK_VARIABLE } from "./seam-words.ts";
import type { TortureDirs } from "./torture-dirs.ts";

const PLACE = "box";
const PRELOAD = join(ROOT, "tests/torture/inside/far-preload.ts");
/** Nobody listens there. */
const NO_PORT = 1;

const Claimed = z.object({ pid: z.int() });

/**
 * Another machine where agents run: a home of its own with a runner, behind a wire to a real SSH server. Where there is
 * none, the runner is behind a plain command, and its wire cannot be cut.
 */
export class FarMachine implements AsyncDisposable {
  readonly agent: CliType;
  readonly sessions: SessionId[] = [];
  readonly #dirs: TortureDirs;
  readonly #sshd: Sshd | null;
  readonly wire: FaultyWire | null;
  #isAway = false;

  private constructor(dirs: TortureDirs, agent: CliType, sshd: Sshd | null, wire: FaultyWire | null) {
    this.#dirs = dirs;
    this.agent = agent;
    this.#sshd = sshd;
    this.wire = wire;
  }

  /** What config.json says about it. */
  static settings(dirs: TortureDirs, agent: CliType, command: readonly string[]): object {
    const program = join(dirs.far, "liminal");
    const reached = CAN_SSH
      ? { kind: "ssh", host: PLACE, program }
      : { kind: "command", command: ["/usr/bin/env", `HOME=${dirs.far}`, program, "runner"] };
    return { [PLACE]: { ...reached, agents: { [agent]: command } } };
  }

  /** Logins get this environment. */
  static async open(dirs: TortureDirs, agent: CliType, env: Readonly<Record<string, string>>): Promise<FarMachine> {
    mkdirSync(join(dirs.far, "work"));
    const main = join(ROOT, "src/cli/main.ts");
    const words = [
      `${FAR_CLOCK_VARIABLE}=${join(dirs.seam, "far-clock")}`,
      process.execPath,
      "--preload",
      PRELOAD,
      main,
    ];
    const program = join(dirs.far, "liminal");
    writeFileSync(program, `#!/bin/sh\nexec /usr/bin/env ${words.join(" ")} "$@"\n`);
    chmodSync(program, 0o755);
    if (!CAN_SSH) return new FarMachine(dirs, agent, null, null);
    const sshd = await Sshd.start({ ...env, HOME: dirs.far });
    // Set before anybody connects: the wire asks only then.
    let machine: FarMachine | null = null;
    const wire = await FaultyWire.open(() => (machine?.isAway ? NO_PORT : sshd.port));
    machine = new FarMachine(dirs, agent, sshd, wire);
    const ssh = `#!/bin/sh\nexec ${join(sshd.bin, "ssh")} -o Port=${wire.port} "$@"\n`;
    writeFileSync(join(dirs.bin, "ssh"), ssh, { mode: 0o755 });
    return machine;
  }

  /** A project there, as the user names it. */
  get project(): string {
    return `${PLACE}:${join(this.#dirs.far, "work")}`;
  }

  /** Nobody gets through to it. */
  get isAway(): boolean {
    return this.#isAway;
  }

  set isAway(isAway: boolean) {
    this.#isAway = isAway;
    if (isAway) this.wire?.cut();
  }

  /** The process that serves the newest connection, which may have ended; null before the first one. */
  runnerPid(): number | null {
    const [server] = this.#servers();
    const path = server === undefined ? "" : join(server, "state.json");
    return existsSync(path) ? Claimed.parse(JSON.parse(readFileSync(path, "utf8"))).pid : null;
  }

  /** By how much its clock is wrong. */
  setClock(offsetMs: number): void {
    writeFileSync(join(this.#dirs.seam, "far-clock"), String(offsetMs));
  }

  /** What the runner keeps for agents that run. */
  held(): readonly string[] {
    return this.#servers().flatMap((server) => readdirSync(join(server, "h")).map((name) => join(server, "h", name)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.wire?.close();
    await this.#sshd?.[Symbol.asyncDispose]();
  }

  #servers(): readonly string[] {
    const root = join(this.#dirs.far, ".liminal-runner");
    return existsSync(root) ? readdirSync(root).map((name) => join(root, name)) : [];
  }
}
