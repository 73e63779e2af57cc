import { existsSync } from "node:fs";
import { asNobody, CAN_RUN_POSTGRES, type PostgresServer } from "./postgres-server.ts";
import { waitFor } from "./wait-for.ts";

const PROGRAM = Bun.which("pgbouncer") ?? (existsSync("/usr/sbin/pgbouncer") ? "/usr/sbin/pgbouncer" : null);
export const CAN_POOL = CAN_RUN_POSTGRES && PROGRAM !== null;
export const PGBOUNCER = CAN_POOL ? "PgBouncer" : "PgBouncer (skipped: pgbouncer is not installed)";

/** A real PgBouncer in front of a database server, at a socket of its own. */
export class PgBouncer implements AsyncDisposable {
  readonly #child: Bun.Subprocess;
  readonly #dir: string;

  private constructor(child: Bun.Subprocess, dir: string) {
    this.#child = child;
    this.#dir = dir;
  }

  static async start(server: PostgresServer, mode: "session" | "transaction"): Promise<PgBouncer> {
    if (PROGRAM === null) throw new Error("pgbouncer is not installed");
    const dir = await server.directory(`pooled-${mode}`);
    const users = await server.keep(`pooled-${mode}/users`, '"app" ""\n');
    const lines = [
      "[databases]",
      `* = host=${server.socketDir} port=5432`,
      "[pgbouncer]",
      "listen_addr =",
      "listen_port = 5432",
      `unix_socket_dir = ${dir}`,
      "auth_type = trust",
      `auth_file = ${users}`,
      `pool_mode = ${mode}`,
      "default_pool_size = 50",
      "ignore_startup_parameters = synchronous_commit",
    ];
    const settings = await server.keep(`pooled-${mode}/pgbouncer.ini`, `${lines.join("\n")}\n`);
    const child = Bun.spawn([...asNobody(), PROGRAM, "-q", settings], {
      stdio: ["ignore", "ignore", "inherit"],
      env: { ...process.env },
    });
    await waitFor(
      () => existsSync(`${dir}/.s.PGSQL.5432`) || child.exitCode !== null,
      (isThere) => isThere,
      "the socket of PgBouncer",
    );
    return new PgBouncer(child, dir);
  }

  /** The way through it to a database. */
  urlOf(url: string): string {
    const pooled = new URL(url);
    pooled.searchParams.set("host", this.#dir);
    return pooled.href;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#child.exited;
  }
}
