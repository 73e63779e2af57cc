import { describe, expect, it } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { ServerLog } from "../../src/operations/server-log.ts";
import { COMMANDS_TIMEOUT_MS, liminal, startLiminal } from "../cli/liminal.ts";
import { startTalk } from "../integration/talk.ts";
import { allowWrites, failWrites, NO_FILE_LIMIT } from "../support/file-limit.ts";
import { tempDir } from "../support/temp-dir.ts";
import { ROOT, startTestServer } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";

describe("the server's log", () => {
  it("has levels, no secret, no line of others', and a bounded number of bounded files, for its user alone", async () => {
    await using dir = await tempDir();
    const printed: string[] = [];
    const log = new ServerLog({
      now: () => 0,
      level: "info",
      print: (line) => printed.push(line),
      file: { bytesMax: 2_000, oldMax: 2 },
    });
    log.hide("s3cret-token-of-this-run");
    log.keepIn(dir.join("logs", "server.jsonl"));
    log.debug("too quiet");
    log.info(
      'asked /?token=abcdef and Authorization: Bearer abcdefghijkl\nCookie: a=b with s3cret-token-of-this-run {"apiKey":"k"}',
    );
    log.warn("\u001b[31mred\u0007\n2026-01-01T00:00:00.000Z error forged");
    log.error("failed", new Error("why"));
    const text = readFileSync(dir.join("logs", "server.jsonl"), "utf8");
    for (const place of [text, printed.join("")]) {
      for (const secret of ["abcdef", "a=b", "s3cret", '"k"', "too quiet"]) expect(place).not.toContain(secret);
      expect(/[^\P{Cc}\n]/u.test(place)).toBe(false);
      expect(place).not.toMatch(/^2026/m);
    }
    expect(
      text
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line).level),
    ).toEqual(["info", "warn", "error"]);
    for (let line = 0; line < 100; line++) log.info(`line ${line} ${"x".repeat(100)}`);
    const files = readdirSync(dir.join("logs")).sort();
    expect(files).toEqual(["server.jsonl", "server.jsonl.1", "server.jsonl.2"]);
    for (const name of files) {
      const { size, mode } = statSync(dir.join("logs", name));
      expect([size <= 2_000, mode & 0o777]).toEqual([true, 0o600]);
    }
    expect(readFileSync(dir.join("logs", "server.jsonl"), "utf8")).toContain("line 99");
  });

  it(
    "is printed and followed by the command line, by level, also when no server runs",
    async () => {
      await using server = await startTestServer();
      const follow = startLiminal(server, ["logs", "--server", "--follow"]);
      await server.kill();
      await server.start();
      const decoder = new TextDecoder();
      let followed = "";
      for await (const bytes of follow.stdout) {
        followed += decoder.decode(bytes, { stream: true });
        if (followed.includes("was killed")) break;
      }
      follow.kill();
      await follow.exited;
      await server.stop();
      const { stdout, code } = await liminal(server, ["logs", "--server"]);
      expect([code, / info The last run was killed/.test(stdout)]).toEqual([0, true]);
      const json = await liminal(server, ["logs", "--server", "--json"]);
      expect(JSON.parse(json.stdout.split("\n")[0] ?? "")).toMatchObject({ level: "info" });
      expect((await liminal(server, ["logs", "--server", "--level", "error"])).stdout).toBe("");
      expect((await liminal(server, ["logs"])).code).toBe(2);
    },
    COMMANDS_TIMEOUT_MS,
  );

  it.skipIf(NO_FILE_LIMIT !== null)("a log that the disk does not take ends nothing", async () => {
    await using server = await startTestServer();
    failWrites(server.pid);
    const client = await server.connect();
    const path = await server.directory("demo");
    expect(await client.request({ type: "project:add", path })).toMatchObject({ code: "STORAGE_UNWRITABLE" });
    allowWrites(server.pid);
    await client.next("storage:state", ({ writable }) => writable, 0);
    await waitFor(
      () => readFileSync(join(server.dataDir, "logs/server.jsonl"), "utf8"),
      (text) => text.includes("could not be written to this log"),
      "the log to say what is missing",
    );
  });
});

describe("a crash", () => {
  it("leaves a report without secrets that only the user gets: announced at the next start, shown, deleted", async () => {
    await using server = await startTestServer();
    const quiet = await server.connect();
    expect(quiet.all("hello")[0]?.crashReport).toBeUndefined();
    await server.stop();
    const script = `
      import { reportCrashes } from "${ROOT}/src/operations/crash-reports.ts";
      import { ServerLog } from "${ROOT}/src/operations/server-log.ts";
      const log = new ServerLog({ now: Date.now, level: "info", print: () => undefined });
      log.hide("hidden-token");
      reportCrashes(${JSON.stringify(server.dataDir)}, log);
      log.info("the last thing it did, with hidden-token");
      ${"if (process.argv.length > 0) setTimeout(() => { throw new Error('broken by hidden-token'); }, 0);"}`;
    mkdirSync(join(server.home, "crash"));
    await Bun.write(join(server.home, "crash/run.ts"), script);
    for (let run = 0; run < 7; run++) {
      const child = Bun.spawn([process.execPath, join(server.home, "crash/run.ts")], { stderr: "pipe" });
      expect(await child.exited).toBe(1);
    }
    const names = readdirSync(join(server.dataDir, "crashes"));
    expect(names).toHaveLength(5);
    await server.start();
    const client = await server.connect();
    const name = client.all("hello")[0]?.crashReport ?? "";
    expect(names).toContain(name);
    await waitFor(
      () => server.log,
      (log) => log.includes(name),
      "the word about the report",
    );
    const text = await (await server.fetch(`/api/crash?name=${name}`)).text();
    expect(text).toContain("Error: broken by [redacted]");
    expect(text).toContain("the last thing it did");
    expect(text).not.toContain("hidden-token");
    expect(statSync(join(server.dataDir, "crashes", name)).mode & 0o777).toBe(0o600);
    expect((await server.fetch(`/api/crash?name=${name}`, { headers: {} })).status).toBe(401);
    expect((await server.fetch("/api/crash?name=../token")).status).toBe(404);
    const headers = { Authorization: `Bearer ${server.token}` };
    expect((await server.fetch(`/api/crash?name=${name}`, { method: "POST", headers })).status).toBe(200);
    expect(readdirSync(join(server.dataDir, "crashes"))).not.toContain(name);
  });
});

/** Prometheus' text format, read strictly: a HELP, a TYPE and one sample per name. */
function readMetrics(text: string): Map<string, number> {
  const values = new Map<string, number>();
  const block = /# HELP ([a-z_:][a-z0-9_:]*) [^\n]+\n# TYPE \1 (gauge|counter)\n\1 (-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)\n/gy;
  while (block.lastIndex < text.length) {
    const at = block.lastIndex;
    const [, name = "", type, value] = block.exec(text) ?? [];
    if (name === "") throw new Error(`not a metric: ${text.slice(at, at + 200)}`);
    if (values.has(name) || (type === "counter") !== name.endsWith("_total")) throw new Error(`badly named: ${name}`);
    values.set(name, Number(value));
  }
  return values;
}

describe("metrics", () => {
  it("have the values of the status, in the format of Prometheus, for clients with the token", async () => {
    await using server = await startTestServer();
    const talk = await startTalk(server);
    await talk.say("stream 3 words");
    expect((await server.fetch("/api/metrics", { headers: {} })).status).toBe(401);
    const look = async () => {
      const response = await server.fetch("/api/metrics");
      expect(response.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
      const metrics = readMetrics(await response.text());
      const status = JSON.parse(await (await server.fetch("/api/status")).text());
      return { metrics, status, seq: talk.state.seq };
    };
    // Facts may follow the end of the turn.
    const { metrics, status, seq } = await waitFor(
      look,
      (seen) => seen.metrics.get("liminal_facts_stored") === seen.seq && seen.status.counters.factsStored === seen.seq,
      "all facts of the session to be counted",
    );
    expect(seq).toBeGreaterThan(0);
    expect(status.counters).toMatchObject({
      socketsOpen: 1,
      socketsOpened: 1,
      sessionsStored: 1,
    });
    expect(metrics.get("liminal_sockets_open")).toBe(1);
    expect(metrics.get("liminal_storage_writable")).toBe(1);
    expect(metrics.get("liminal_database_size_bytes")).toBeGreaterThan(0);
  });
});
