import { describe, expect, it } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { encodeRecord, KIND } from "../../src/agents/holder/journal-record.ts";
import { CONTRACT_VERSIONS } from "../../src/places/contract.ts";
import { type Place, placeFailure } from "../../src/places/place.ts";
import { roundsOf } from "../support/seeded-random.ts";
import { START } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";
import { ECHO, machine, SHARED, talkThroughCuts } from "./machine.ts";

const LEFT_MS = 20_000;
const AGENTS_FULL = 100;

const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => "no failure",
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );

describe("agents at a place", () => {
  it("[SC-34] run there with its environment; a stopped one leaves no process and no file", async () => {
    await using at = await machine();
    const link = at.link();
    const agent = at.start(link, "one", "/bin/sh", "-c", `echo "$HOME $FROM_SERVER $PWD"; ${ECHO}`);
    await agent.started;
    agent.write("hello");
    await at.said("got hello");
    expect(at.lines).toEqual([`${at.home} yes ${at.home}`, "ready", "got hello"]);
    expect(await agent.stop()).toMatchObject({ code: 0, signal: null });
    expect(at.lines.at(-1)).toBe("over");
    await agent.release();
    expect(at.held).toEqual([]);
    link.end();
    expect(await at.processes.leftAfter(LEFT_MS)).toEqual([]);
  });

  it("[SC-34] end there by themselves when no server comes back", async () => {
    await using at = await machine();
    const link = at.link({ holdMs: 200 });
    await at.start(link, "one", "/bin/sh", "-c", ECHO).started;
    await at.said("ready");
    link.end();
    expect(await at.processes.leftAfter(LEFT_MS)).toEqual([]);
  });

  it("[SC-31] share one connection", async () => {
    await using at = await machine();
    const link = at.link();
    const ids = Array.from({ length: roundsOf(AGENTS_FULL) }, (_, nth) => `agent-${nth}`);
    const agents = ids.map((id) => at.start(link, id, "/bin/sh", "-c", `echo ${id}; cat >/dev/null`));
    await Promise.all(agents.map(({ started }) => started));
    const pid = at.runnerPid;
    for (const id of ids) await at.said(id);
    expect(at.runnerPid).toBe(pid);
    expect(at.held.sort()).toEqual(ids.toSorted());
    await Promise.all(agents.map((agent) => agent.stop()));
  });

  it("[SC-34] are reached by a command that is told to end, and can give back what it holds", async () => {
    await using at = await machine();
    const given = join(at.home, "given-back");
    const holding = `trap ': > "$0"; kill "$!"; exit' TERM; exec 3<&0; "$@" <&3 & wait`;
    const command = ["/bin/sh", "-c", holding, given, ...START, "runner"];
    const link = at.link({ setting: { ...SHARED, kind: "command", command } });
    await link.check();
    expect(existsSync(given)).toBe(false);
    link.end();
    await waitFor(() => existsSync(given), Boolean, "the command to give it back");
    expect(await at.processes.leftAfter(LEFT_MS)).toEqual([]);
  });

  it("[SC-27] [SC-29] work on while the connection is cut again and again; no line is lost or doubled", async () => {
    await using at = await machine();
    await talkThroughCuts(at, at.link());
  });

  it("[SC-29] that are killed with their holder end here with a report", async () => {
    await using at = await machine();
    const agent = at.start(at.link(), "one", "/bin/sh", "-c", 'echo "$PPID"; cat >/dev/null');
    await waitFor(
      () => at.lines,
      (lines) => lines.length === 1,
      "the pid of the holder",
    );
    process.kill(Number(at.lines[0]), "SIGKILL");
    expect(await agent.exited).toMatchObject({ signal: "SIGKILL" });
    await agent.release();
  });

  it.each([
    ["little", 1],
    ["much", 5_000],
  ])("[SC-29] whose journal is damaged after they said %s are ended; the others there go on", async (_, words) => {
    await using at = await machine();
    const holdMs = 3_600_000;
    const first = at.link({ holdMs });
    at.start(first, "two", "/bin/sh", "-c", `echo two; ${ECHO}`);
    at.start(first, "one", "/bin/sh", "-c", `seq -f "word %.0f" ${words}; ${ECHO.replace("ready", "one")}`);
    await at.said("two");
    await at.said("one");
    first.end();
    const dir = join(at.home, ".liminal-runner/server-1/h", at.idOf("one"));
    const journal = join(dir, readdirSync(dir).find((name) => name.startsWith("journal-")) ?? "");
    const bytes = readFileSync(journal);
    bytes.fill(0x55, bytes.byteLength - 4);
    writeFileSync(journal, bytes);
    const next = at.link({ epoch: 2, holdMs });
    const found = await next.survivors(60_000);
    expect(found.map(({ id, isAlive }) => [id, isAlive]).sort()).toEqual([
      [at.idOf("one"), false],
      [at.idOf("two"), true],
    ]);
    await Promise.all(found.filter(({ id }) => id === at.idOf("one")).map((one) => one.abandon()));
    await waitFor(
      () => at.held,
      (held) => held.length === 1,
      "the files of the damaged one to be gone",
    );
    expect(next.standing.state).toBe("connected");
    await Promise.all(found.filter(({ id }) => id === at.idOf("two")).map((one) => one.abandon()));
    next.end();
    expect(await at.processes.leftAfter(LEFT_MS)).toEqual([]);
  });

  it.each([
    ["hello", "no JSON", KIND.hello, "{"],
    ["hello", "of another form", KIND.hello, "{}"],
    ["end", "no JSON", KIND.exit, "ended"],
    ["end", "of another form", KIND.exit, "{}"],
  ] as const)(
    "[SC-29] whose %s is %s are given up with a report; the others there go on",
    async (...[, , kind, text]) => {
      await using at = await machine();
      const link = at.link();
      const other = at.start(link, "two", "/bin/sh", "-c", ECHO);
      await at.said("ready");
      // No holder wrote it: a runner passes on what it finds.
      const dir = join(at.home, ".liminal-runner/server-1/h", at.idOf("one"));
      mkdirSync(dir);
      writeFileSync(join(dir, "journal-000000001"), encodeRecord({ kind, offset: 1, text }));
      const agent = at.start(link, "one", "/bin/cat");
      expect(await agent.exited).toMatchObject({ signal: "SIGKILL" });
      await agent.release();
      await waitFor(
        () => at.held,
        (held) => held.length === 1,
        "the files of the damaged one to be gone",
      );
      other.write("on");
      await at.said("got on");
      await other.stop();
      await other.release();
      // The same for an agent that an earlier server left: its past is taken later than it comes.
      mkdirSync(dir);
      writeFileSync(join(dir, "journal-000000001"), encodeRecord({ kind, offset: 1, text }));
      link.end();
      const [left] = await at.link({ epoch: 2 }).survivors(60_000);
      expect(left).toMatchObject({ id: at.idOf("one"), place: "box", isAlive: false });
      await left?.abandon();
      await waitFor(
        () => at.held,
        (held) => held.length === 0,
        "no agent to be left",
      );
    },
  );

  it("[SC-35] that cannot be started report the reason", async () => {
    await using at = await machine();
    const link = at.link();
    expect(await failure(at.start(link, "one", "/no/such/agent").started)).toContain("/no/such/agent");
    const elsewhere = link.start({
      ...{ command: ["/bin/cat"], cwd: "/no/such/directory", env: {}, held: { id: at.idOf("two"), label: "" } },
      ...{ onLine: () => undefined, onStderr: () => undefined, onTooLong: () => undefined },
    });
    expect(await failure(elsewhere.started)).toContain("That directory doesn't exist.");
  });
});

/** A command that leads nowhere while the file `away` is there. */
const reached = (away: string, whileAway: string): Place => ({
  ...SHARED,
  kind: "command",
  command: ["/bin/sh", "-c", `while [ -e "$0" ]; do ${whileAway}; done; exec "$@"`, away, ...START, "runner"],
});

describe("[SC-20] a place that cannot be reached", () => {
  it("is shown with the reason and retried; output of its agents arrives as soon as it is back", async () => {
    await using at = await machine();
    const away = join(at.home, "away");
    const tried = join(at.home, "tried");
    const refused = `echo >>${tried}; echo "ssh: connect to host box port 22: Connection refused" >&2; exit 255`;
    const link = at.link({ setting: reached(away, refused) });
    const agent = at.start(link, "one", "/bin/sh", "-c", ECHO);
    await at.said("ready");
    writeFileSync(away, "");
    process.kill(at.runnerPid, "SIGKILL");
    agent.write("meanwhile");
    await waitFor(
      () => (existsSync(tried) ? readFileSync(tried, "utf8").length : 0),
      (tries) => tries >= 3,
      "the third try",
    );
    const problem = "box does not answer: check that the machine is on and that SSH runs there.";
    await waitFor(
      () => link.standing,
      (standing) => standing.state === "unreachable" && standing.problem === problem,
      "the reason",
    );
    expect(at.cuts).toContain(problem);
    // While it is tried, the reason stays to be seen.
    const since = at.standings.findIndex(({ state }) => state === "unreachable");
    expect(at.standings.slice(since).map(({ state }) => state)).not.toContain("connecting");
    rmSync(away);
    await at.said("got meanwhile");
    expect(link.standing.state).toBe("connected");
    expect(at.cuts.at(-1)).toBeNull();
    expect(await agent.stop()).toMatchObject({ code: 0 });
  });
});

describe("[SC-20] a place that is asked for while it is away", () => {
  it("is tried again and again all the same", async () => {
    await using at = await machine();
    const away = join(at.home, "away");
    const link = at.link({ setting: reached(away, "exit 255") });
    const agent = at.start(link, "one", "/bin/sh", "-c", ECHO);
    await at.said("ready");
    writeFileSync(away, "");
    process.kill(at.runnerPid, "SIGKILL");
    agent.write("meanwhile");
    await waitFor(
      () => at.cuts,
      (cuts) => cuts.length > 0,
      "the cut",
    );
    // The first of them may join an attempt that was due; the others are made for nobody but us.
    for (let asked = 0; asked < 3; asked++) expect(await failure(link.check())).toContain("box");
    rmSync(away);
    await at.said("got meanwhile");
    expect(await agent.stop()).toMatchObject({ code: 0 });
  });
});

describe("[SC-34] an agent that is stopped while its place is away", () => {
  it("ends here at once, and there as soon as the place is back", async () => {
    await using at = await machine();
    const away = join(at.home, "away");
    // By itself it would live on.
    const link = at.link({ setting: reached(away, "exit 255"), holdMs: 3_600_000 });
    const agent = at.start(link, "one", "/bin/sh", "-c", ECHO.replace("ready", "one"));
    const other = at.start(link, "two", "/bin/sh", "-c", ECHO.replace("ready", "two"));
    await at.said("one");
    await at.said("two");
    writeFileSync(away, "");
    process.kill(at.runnerPid, "SIGKILL");
    expect(await agent.stop("now")).toMatchObject({ signal: "SIGKILL" });
    await agent.release();
    expect(at.held.sort()).toEqual(["one", "two"]);
    rmSync(away);
    await waitFor(
      () => at.held,
      (held) => held.join() === "two",
      "its files to be gone",
    );
    other.write("on");
    await at.said("got on");
    await other.stop();
    await other.release();
    link.end();
    expect(await at.processes.leftAfter(LEFT_MS)).toEqual([]);
  });
});

describe("[SC-34] agents that the last server left", () => {
  it.each([
    ["could not be reached", "exit 1", 60_000],
    ["answered too late", "sleep 0.05", 1],
  ])("are ended once the place can be reached, if it %s when the next server started", async (_, whileAway, msMax) => {
    await using at = await machine();
    // By themselves they would live on.
    const holdMs = 3_600_000;
    const first = at.link({ holdMs });
    await at.start(first, "one", "/bin/sh", "-c", ECHO).started;
    first.end();
    const away = join(at.home, "away");
    writeFileSync(away, "");
    const next = at.link({ epoch: 2, holdMs, setting: reached(away, whileAway) });
    expect(await failure(next.survivors(msMax))).toMatch(/box/);
    rmSync(away);
    await next.check();
    await waitFor(
      () => at.held,
      (held) => held.length === 0,
      "no agent to be left",
    );
    next.end();
    expect(await at.processes.leftAfter(LEFT_MS)).toEqual([]);
  });
});

describe("[SC-28] an older start of a server", () => {
  it("is refused, also by a new runner; the newest one takes over", async () => {
    await using at = await machine();
    const second = at.link({ epoch: 2 });
    await second.check();
    const refused = "box: A newer start of this server uses this place. Stop that server, or restart this one.";
    expect(await failure(at.link({ epoch: 1 }).check())).toBe(refused);
    second.end();
    process.kill(at.runnerPid, "SIGKILL");
    expect(await failure(at.link({ epoch: 1 }).check())).toBe(refused);
    await at.link({ epoch: 3 }).check();
  });

  it("loses its connection and its agents to a newer one, and does not come back", async () => {
    await using at = await machine();
    const old = at.start(at.link({ epoch: 1 }), "one", "/bin/sh", "-c", ECHO);
    await at.said("ready");
    await at.link({ epoch: 2 }).check();
    expect(await old.exited).toMatchObject({ signal: "SIGKILL" });
  });
});

describe("files at a place", () => {
  it("[SC-33] are found, listed, read and written there, and nothing outside the root is", async () => {
    await using at = await machine();
    const root = join(at.home, "app");
    mkdirSync(join(root, "src"), { recursive: true });
    writeFileSync(join(root, "src/main.ts"), "export {};\n");
    writeFileSync(join(at.home, "secret"), "no");
    symlinkSync(join(at.home, "secret"), join(root, "link"));
    const link = at.link();
    expect(await link.ask({ type: "directory:find", path: "~/app" })).toEqual({ path: root });
    expect(await failure(link.ask({ type: "directory:find", path: "~/nothing" }))).toBe(
      "That directory doesn't exist.",
    );
    expect(await link.ask({ type: "directory:complete", path: "~/a" })).toMatchObject({
      base: "~/",
      entries: [{ name: "app" }],
    });
    const found = await link.ask({ type: "files:search", root, query: "main", limit: 5 });
    expect(found.files.map(({ path }) => path)).toEqual(["src/main.ts"]);
    const listed = await link.ask({ type: "files:list", root, path: "", entriesMax: 10 });
    expect(listed.entries.map(({ name }) => name)).toEqual(["src", "link"]);
    expect(await link.ask({ type: "file:read", root, path: "src/main.ts" })).toEqual({ content: "export {};\n" });
    await link.ask({ type: "file:write", root, path: "new/file.txt", content: "ä\n" });
    expect(readFileSync(join(root, "new/file.txt"), "utf8")).toBe("ä\n");
    for (const path of ["link", "../secret"])
      expect(await failure(link.ask({ type: "file:read", root, path }))).toContain(
        "outside this session's directories",
      );
    expect(await failure(link.ask({ type: "file:write", root, path: "link", content: "x" }))).toContain("outside");
    expect(readFileSync(join(at.home, "secret"), "utf8")).toBe("no");
  });
});

describe("[SC-35] a place that does not work", () => {
  it("is refused with another version, without a program, or without a runner behind its command", async () => {
    await using at = await machine();
    expect(await failure(at.link({ versions: [99] }).check())).toContain("Install the server's release there.");
    const command = (...words: string[]) => at.link({ setting: { ...SHARED, kind: "command", command: words } });
    expect(await failure(command("/no/such/program").check())).toContain("install it, or correct places.box");
    expect(await failure(command("/bin/sh", "-c", "no-such-runner runner").check())).toContain(
      "does not lead to a runner: install Liminal Builder there",
    );
    expect(await failure(command("/bin/echo", "hello").check())).toBe(
      'No runner answers at box (hello): check that its command starts "liminal runner".',
    );
  });

  it("may print a greeting before the runner", async () => {
    await using at = await machine();
    const setting: Place = {
      ...SHARED,
      kind: "command",
      command: ["/bin/sh", "-c", 'echo "Welcome!"; exec "$@"', "sh", ...START, "runner"],
    };
    expect(await at.link({ setting }).check()).toMatchObject({ version: CONTRACT_VERSIONS[0], home: at.home });
  });

  it("is explained in one sentence with advice", () => {
    const place = { ...SHARED, kind: "ssh", host: "me@box", program: "liminal" } as const;
    const words = (stderr: string) => placeFailure(place, { code: 255, stderr }).message;
    expect(words("Host key verification failed.")).toContain('run "ssh me@box" once in a terminal');
    expect(words("me@box: Permission denied (publickey).")).toContain('run "ssh-copy-id me@box"');
    expect(words("ssh: Could not resolve hostname box: Name or service not known")).toContain(
      "correct places.box.host",
    );
    expect(words("ssh: connect to host box port 22: Connection refused")).toContain("check that the machine is on");
    expect(words("bash: line 1: liminal: command not found")).toContain('run "liminal place add me@box"');
    expect(words("ENOSPC: no space left on device")).toBe("The disk of box is full: make room there.");
  });
});
