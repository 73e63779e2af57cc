import { Database } from "bun:sqlite";
import { expect, it } from "bun:test";
import { chmod, rm, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { checkData, checkDisk } from "../../src/operations/doctor/check-data.ts";
import { checkBun } from "../../src/operations/doctor/check-programs.ts";
import { startTestServer, TestServer, type TestServerOptions } from "../support/test-server.ts";
import { COMMANDS_TIMEOUT_MS, liminalJson } from "./liminal.ts";

const Report = z.object({
  ok: z.boolean(),
  checks: z.array(z.object({ id: z.string(), status: z.string(), message: z.string(), fix: z.string().optional() })),
});

interface BrokenSetUp extends TestServerOptions {
  readonly what: string;
  /** What a data directory that worked needs to be broken in this way. */
  readonly break?: (dataDir: string) => Promise<void>;
  readonly doctorEnv?: Readonly<Record<string, string>>;
  readonly check: string;
  readonly says: string;
  readonly fix: string;
}

const A_DAY_MS = 24 * 3_600_000;
const config = (text: string) => (dataDir: string) => writeFile(join(dataDir, "config.json"), text);

const BROKEN: readonly BrokenSetUp[] = [
  {
    what: "a config.json that is no JSON",
    break: config("{ agents"),
    check: "config",
    says: "config.json",
    fix: "Correct",
  },
  {
    what: "a config.json with a mistake",
    break: config('{"agents": {"mine": {"name": "Mine"}}}'),
    check: "config",
    says: "agents.mine.command",
    fix: "there, then restart",
  },
  {
    what: "a data directory others can read",
    break: (dir) => chmod(dir, 0o755),
    check: "data-dir",
    says: "Other users",
    fix: "chmod 700",
  },
  {
    what: "a file where the data directory should be",
    break: async (dir) => {
      await rm(dir, { recursive: true });
      await writeFile(dir, "");
    },
    check: "data-dir",
    says: "is a file",
    fix: "LIMINAL_DATA_DIR",
  },
  {
    what: "a database of a newer version",
    break: async (dir) => {
      using db = new Database(join(dir, "liminal.db"));
      db.run("PRAGMA user_version = 9999");
    },
    check: "database",
    says: "newer version",
    fix: "Update",
  },
  {
    what: "a damaged database",
    break: async (dir) => {
      // A log beside it would mend the file.
      await rm(join(dir, "liminal.db-wal"), { force: true });
      await writeFile(join(dir, "liminal.db"), "this is no database, and never was one ".repeat(200));
    },
    check: "database",
    says: "damaged",
    fix: "liminal restore",
  },
  {
    what: "a token others can read",
    break: (dir) => chmod(join(dir, "token"), 0o644),
    check: "token",
    says: "Other users",
    fix: "chmod 600",
  },
  {
    what: "an empty token",
    break: (dir) => writeFile(join(dir, "token"), ""),
    check: "token",
    says: "empty",
    fix: "Delete",
  },
  {
    what: "a lock file that is none",
    break: (dir) => writeFile(join(dir, "lock"), "x".repeat(5_000)),
    check: "lock",
    says: "Cannot use",
    fix: "Delete",
  },
  {
    what: "a clock that stands before what is stored",
    break: (dir) =>
      utimes(join(dir, "liminal.db"), new Date(Date.now() + 9 * A_DAY_MS), new Date(Date.now() + 9 * A_DAY_MS)),
    check: "clock",
    says: "the database was written on",
    fix: "Set the system clock",
  },
  {
    what: "a setting that makes no sense",
    doctorEnv: { LIMINAL_PORT: "many" },
    check: "settings",
    says: "LIMINAL_PORT",
    fix: "Correct",
  },
  {
    what: "a certificate that is not there",
    doctorEnv: { LIMINAL_TLS_CERT: "/no/such.pem", LIMINAL_TLS_KEY: "/no/such.key" },
    check: "tls",
    says: "/no/such.pem does not exist",
    fix: "Correct",
  },
  {
    what: "a sign-in service that does not answer",
    break: config('{"oidc": {"issuer": "http://127.0.0.1:1", "clientId": "liminal", "name": "Example"}}'),
    check: "sign-in",
    says: "Example (http://127.0.0.1:1) cannot be used",
    fix: "Open the address of the issuer",
  },
  {
    what: "a secret of the sign-in service that is not where it should be",
    break: config(
      '{"oidc": {"issuer": "http://127.0.0.1:1", "clientId": "x", "clientSecret": {"fromFile": "/no/such"}}}',
    ),
    check: "sign-in",
    says: "clientSecret comes from /no/such, which does not exist",
    fix: "Correct oidc",
  },
  {
    what: "a login shell that cannot be run",
    doctorEnv: { SHELL: "/no/such/shell" },
    check: "path",
    says: "/no/such/shell",
    fix: "SHELL",
  },
  {
    what: "no Node on PATH",
    doctorEnv: { PATH: "/nowhere" },
    check: "node",
    says: "Node is not on PATH",
    fix: "Install Node",
  },
  {
    what: "an agent whose program is not there",
    agents: { lost: { name: "Lost", command: "/no/such/agent" } },
    check: "agent:lost",
    says: "Lost does not start",
    fix: "/no/such/agent",
  },
  {
    what: "an agent that ends at once",
    agents: { brief: { name: "Brief", command: "/bin/sh", args: ["-c", "echo sorry >&2; exit 3"] } },
    check: "agent:brief",
    says: "exit code 3",
    fix: "config.json",
  },
];

it("X-14 doctor is tried on at least ten broken set-ups, each broken in its own way", () => {
  expect(new Set(BROKEN.map(({ what }) => what)).size).toBeGreaterThanOrEqual(10);
});

it.each(BROKEN.map((setUp) => [setUp.what, setUp] as const))(
  "X-14 doctor finds %s and says what to do",
  async (_what, { check, says, fix, doctorEnv = {}, break: breakIt, agents }) => {
    await using server = await startTestServer(agents ? { agents } : {});
    await server.stop();
    await breakIt?.(server.dataDir);
    const only = check.startsWith("agent:") ? ["-a", check.slice("agent:".length)] : ["--no-agents"];
    const { code, report } = await examined(server, only, doctorEnv);
    const problems = report.checks.filter(({ status }) => status === "problem");
    expect(problems.map(({ id }) => id)).toEqual([check]);
    expect(problems[0]?.message).toContain(says);
    expect(problems[0]?.fix).toContain(fix);
    expect({ code, ok: report.ok }).toEqual({ code: 1, ok: false });
  },
  COMMANDS_TIMEOUT_MS,
);

it(
  "X-14 doctor is content with a new machine, with a running server and with a stopped one, and starts the agents",
  async () => {
    await using server = await TestServer.prepare();
    expect(await examined(server, ["--no-agents"])).toMatchObject({ code: 0, report: { ok: true } });
    await server.start();
    const running = await examined(server, ["-a", "builtin"]);
    expect(running).toMatchObject({ code: 0, report: { ok: true } });
    expect(messageOf(running.report, "server")).toContain(`process ${server.pid}, port ${server.port}`);
    expect(messageOf(running.report, "agent:builtin")).toContain("starts and responds");
    await server.stop();
    expect(await examined(server, ["--no-agents"])).toMatchObject({ code: 0, report: { ok: true } });
  },
  COMMANDS_TIMEOUT_MS,
);

it(
  "X-14 doctor names who holds the port, a server that hangs, and what one that was killed left behind",
  async () => {
    await using server = await startTestServer();
    using stranger = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("not you") });
    process.kill(server.pid, "SIGSTOP");
    try {
      const { code, report } = await examined(server, ["--no-agents"]);
      expect(code).toBe(1);
      expect(messageOf(report, "server")).toContain("not responding");
    } finally {
      process.kill(server.pid, "SIGCONT");
    }
    await server.kill();
    const { code, report } = await examined(server, ["--no-agents"], { LIMINAL_PORT: String(stranger.port) });
    expect(code).toBe(1);
    expect(messageOf(report, "port")).toContain(`process ${process.pid}`);
    expect(report.checks.find(({ id }) => id === "stale-note")?.status).toBe("note");
  },
  COMMANDS_TIMEOUT_MS,
);

it("X-14 doctor warns of a disk that fills up and of another Bun", () => {
  expect(checkDisk(10 * 1024 ** 2)).toMatchObject({ status: "problem" });
  expect(checkDisk(500 * 1024 ** 2)).toMatchObject({ status: "note" });
  expect(checkDisk(50 * 1024 ** 3)).toMatchObject({ status: "ok" });
  expect(checkBun("1.0.0")).toMatchObject({ status: "problem" });
});

it("X-14 doctor names the file on the way to the data directory", async () => {
  expect(await checkData(join(import.meta.path, "data"), Date.now())).toMatchObject([
    { id: "data-dir", status: "problem", message: `${import.meta.path} is a file.` },
  ]);
});

async function examined(server: TestServer, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { code, value } = await liminalJson(server, ["doctor", ...args], { env });
  return { code, report: Report.parse(value) };
}

function messageOf({ checks }: z.infer<typeof Report>, id: string): string {
  return checks.find((check) => check.id === id)?.message ?? "";
}
