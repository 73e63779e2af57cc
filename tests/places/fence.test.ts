import { describe, expect, it } from "bun:test";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmdirSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { z } from "zod";
import { type Fence, fenced, fenceProblem } from "../../src/places/fence.ts";
import type { Place } from "../../src/places/place.ts";
import { COMMANDS_TIMEOUT_MS } from "../cli/liminal.ts";
import { anotherTalk, reopen } from "../integration/talk.ts";
import { eagerAgent } from "../orchestration/eager-agent.ts";
import { tempDir } from "../support/temp-dir.ts";
import { ROOT, START, startTestServer } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";
import { ECHO, type Machine, machine, SHARED } from "./machine.ts";
import { carriesAgents, hasWorkspace, hasWorktrees } from "./one-suite.ts";

const ENV = { PATH: process.env["PATH"] ?? "" };
const WHY_NOT = await fenceProblem({ network: false }, ENV);
const WHERE = WHY_NOT === null ? "with real Bubblewrap" : `with real Bubblewrap (skipped: ${WHY_NOT})`;
const LEFT_MS = 20_000;
const RULES: Fence = { network: false, read: [], write: [], variables: [], hidden: [] };
/** What an agent sees of a file of the home, and whether it may do something. */
const SAY = `see() { cat "$HOME/$1" 2>/dev/null || echo "no $1"; }
  may() { sh -c "$1" 2>/dev/null && echo yes || echo no; }`;

/** Agents of this machine behind the fence. The marker of the test is let in, so that it finds what is left. */
function setting(at: Machine, rules: Partial<Fence> = {}): Place {
  const variables = [...Object.keys(at.processes.env), ...(rules.variables ?? [])];
  return { ...SHARED, kind: "fence", fence: { ...RULES, ...rules, variables }, program: [...START, "runner"] };
}

/** What an agent that is this script says, in a directory of the home. */
async function told(
  at: Machine,
  rules: Partial<Fence>,
  script: string,
  { cwd = "app", env = {} }: { cwd?: string; env?: Readonly<Record<string, string>> } = {},
) {
  const link = at.link({ setting: setting(at, rules), env });
  const said: string[] = [];
  const agent = link.start({
    // It does not end before all that it has said was heard.
    ...{ command: ["/bin/sh", "-c", `${script}\necho "the end"; cat`], cwd: join(at.home, cwd) },
    ...{ env: { FROM_SERVER: "yes" }, held: { id: crypto.randomUUID(), label: "" } },
    ...{ onLine: (line: string) => void said.push(line), onStderr: () => undefined, onTooLong: () => undefined },
  });
  try {
    await agent.started;
    await waitFor(
      () => said.at(-1),
      (line) => line === "the end",
      `the end of ${said.join(", ")}`,
    );
    await agent.stop();
    await agent.release();
    return said.slice(0, -1);
  } finally {
    link.end();
  }
}

async function fencedMachine(): Promise<Machine> {
  const at = await machine();
  mkdirSync(join(at.home, "app/.git/hooks"), { recursive: true });
  for (const [path, text] of [
    ["secret", "of the user"],
    ["sign-in/key", "of the agent"],
    ["data/token", "of the server"],
    ["app/file", "of the project"],
    ["app/.git/config", "of git"],
  ] as const) {
    mkdirSync(join(at.home, path, ".."), { recursive: true });
    writeFileSync(join(at.home, path), `${text}\n`);
  }
  return at;
}

describe("[SC-49] a fence that cannot hold", () => {
  const refusal = (act: () => unknown): string => {
    try {
      act();
    } catch (error) {
      if (error instanceof Error) return error.message;
    }
    return "no refusal";
  };

  it("is refused in one sentence with advice", async () => {
    await using dir = await tempDir();
    const [home, bin] = [dir.join("home"), dir.join("bin")];
    for (const path of ["app", "data", ".liminal-runner", "tools"]) mkdirSync(join(home, path), { recursive: true });
    mkdirSync(bin);
    writeFileSync(join(bin, "bwrap"), "");
    writeFileSync(join(home, "tools/agent"), "");
    for (const program of [join(bin, "bwrap"), join(home, "tools/agent")]) chmodSync(program, 0o755);
    symlinkSync(home, join(home, "app/link"));
    const ground = { home, dir: join(home, ".liminal-runner"), tools: null, programs: [] };
    const by = (rules: Partial<Fence>, cwd = join(home, "app"), command = ["/bin/sh"], path = bin) =>
      refusal(() =>
        fenced({ command, cwd, env: { PATH: path } }, { ...RULES, hidden: [join(home, "data")], ...rules }, ground),
      );
    expect(by({})).toBe("no refusal");
    for (const cwd of [home, dir.path, "/", join(home, "data"), join(home, ".liminal-runner")])
      expect(by({}, cwd)).toBe(
        `${cwd} cannot be let in by the fence, because all of your home or files of Liminal Builder would be open with it. Choose a directory below it for the project.`,
      );
    for (const path of ["~", "~/", "/", "~/app/..", "~/app/link", "~/data/token", "~/.liminal-runner"]) {
      if (path === "~/data/token") writeFileSync(join(home, "data/token"), "");
      expect(by({ read: [path] })).toEndWith('Correct "read" of the place.');
      expect(by({ write: [path] })).toEndWith('Correct "write" of the place.');
    }
    mkdirSync(join(home, "keys"));
    mkdirSync(join(home, "app/inside"));
    symlinkSync("../keys", join(home, "app/out"));
    symlinkSync("inside", join(home, "app/in"));
    symlinkSync(join(home, "app/out"), join(home, "named"));
    for (const path of ["~/app/out", "~/named"]) {
      const leads = `${path} leads to ${join(home, "keys")}, by a link that an agent can make or change.`;
      expect(by({ read: [path] })).toBe(
        `${leads} Remove the link, or name that path itself. Correct "read" of the place.`,
      );
      expect(by({ write: [path] })).toStartWith(leads);
      expect(by({ read: [path], write: ["~/app"] }, join(home, "keys"))).toStartWith(leads);
      expect(by({ read: [path] }, join(home, "tools"))).toBe("no refusal");
    }
    expect(by({ read: ["~/app/in"], write: ["~/app/inside"] })).toBe("no refusal");
    expect(by({ read: ["~/none"] })).toBe('~/none does not exist. Correct "read" of the place.');
    const agent = join(home, "tools/agent");
    expect(by({}, undefined, [agent])).toStartWith(`The fence hides ${agent}. Add ${join(home, "tools")}`);
    expect(by({ read: ["~/tools"] }, undefined, [agent])).toBe("no refusal");
    expect(by({}, undefined, ["no-such-agent"])).toContain("no-such-agent was not found.");
    expect(by({}, undefined, undefined, "/nowhere")).toContain("install the package bubblewrap");
  });

  it("has no data of Liminal Builder, also where the directory of the system around it is open", async () => {
    await using dir = await tempDir();
    const [home, bin] = [dir.join("home"), dir.join("bin")];
    mkdirSync(join(home, "app"), { recursive: true });
    mkdirSync(bin);
    writeFileSync(join(bin, "bwrap"), "", { mode: 0o755 });
    const agent = { command: ["/bin/sh"], cwd: join(home, "app"), env: { PATH: bin } };
    const rules = { ...RULES, hidden: ["/usr/share"] };
    const { command } = fenced(agent, rules, {
      home,
      dir: join(home, ".liminal-runner"),
      tools: null,
      programs: ["/usr/share/doc"],
    });
    const words = command.join(" ");
    expect(words).toContain("--tmpfs /usr/share ");
    // Our own programs in there are still to be read.
    expect(words.indexOf("--tmpfs /usr/share ")).toBeLessThan(words.indexOf(" /usr/share/doc"));
  });

  it("starts nothing in a directory that became a link to another one", async () => {
    await using at = await machine();
    for (const path of ["bin", ".ssh", "app/sub"]) mkdirSync(join(at.home, path), { recursive: true });
    // In place of Bubblewrap: only what happens before it counts.
    const bwrap = '#!/bin/sh\nwhile [ "$1" != "--" ]; do shift; done; shift; exec "$@"\n';
    writeFileSync(join(at.home, "bin/bwrap"), bwrap, { mode: 0o755 });
    const link = at.link({ setting: setting(at), env: { PATH: `${join(at.home, "bin")}:${ENV.PATH}` } });
    at.cwd = join(at.home, "app/sub/");
    const agent = at.start(link, "one", "/bin/sh", "-c", ECHO);
    await at.said("ready");
    await agent.stop();
    at.cwd = join(at.home, "app/sub");
    rmdirSync(at.cwd);
    symlinkSync(join(at.home, ".ssh"), at.cwd);
    await expect(at.start(link, "two", "/bin/sh", "-c", ECHO).started).rejects.toThrow(
      `${at.cwd} leads to ${join(at.home, ".ssh")}. If an agent made that link, remove it. If you did, add a project with the path ${join(at.home, ".ssh")}.`,
    );
  });

  it("is a place that cannot be reached, with the reason", async () => {
    await using at = await machine();
    const bin = join(at.home, "bin");
    mkdirSync(bin);
    writeFileSync(join(bin, "bwrap"), "#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n");
    chmodSync(join(bin, "bwrap"), 0o755);
    const check = at.link({ setting: setting(at), env: { PATH: `${bin}:${ENV.PATH}` } }).check();
    await expect(check).rejects.toThrow(
      "Bubblewrap cannot fence anything here (bwrap: No permissions to create new namespace): allow user namespaces, or use a container.",
    );
  });
});

describe.skipIf(WHY_NOT !== null)(`[SC-49] [SC-50] an agent behind a fence ${WHERE}`, () => {
  it("reads and writes the directory of its session, and nothing else of the user or of Liminal Builder", async () => {
    await using at = await fencedMachine();
    const script = `${SAY}
      cat file; may "echo new > made"; pwd; ls -A "$HOME"
      see secret; see data/token; see .liminal-runner/server-1/state.json
      cat "/proc/1/root$HOME/secret" 2>/dev/null || echo "no other root"
      may "echo private > $HOME/outside"; may "echo x > /usr/outside"
      cat .git/config; may "echo x > .git/hooks/pre-commit"; may "mv .git elsewhere"
      readlink /proc/self/ns/pid | grep -cF "$OUTER"
      echo "$FROM_SERVER $SECRET-$HOME-$(id -u)"`;
    const variables = { SECRET: "of the environment", OUTER: readlinkSync("/proc/self/ns/pid") };
    expect(await told(at, { variables: ["OUTER"] }, script, { env: variables })).toEqual([
      ...["of the project", "yes", join(at.home, "app"), "app"],
      ...["no secret", "no data/token", "no .liminal-runner/server-1/state.json"],
      "no other root",
      ...["yes", "no"],
      ...["of git", "no", "no"],
      "0",
      `yes -${at.home}-${process.getuid?.()}`,
    ]);
    expect(readFileSync(join(at.home, "app/made"), "utf8")).toBe("new\n");
    expect(existsSync(join(at.home, "outside"))).toBe(false);
    expect(existsSync("/usr/outside")).toBe(false);
  });

  it("gets what is named: directories to read, files to change, variables", async () => {
    await using at = await fencedMachine();
    const rules = { read: ["~/sign-in"], write: ["~/app/.git"], variables: ["KEY"] };
    const script = `${SAY}
      see sign-in/key; may "echo x > $HOME/sign-in/key"
      echo mine > .git/config; echo "$KEY"`;
    expect(await told(at, rules, script, { env: { KEY: "named" } })).toEqual([...["of the agent", "no", "named"]]);
    expect(readFileSync(join(at.home, "app/.git/config"), "utf8")).toBe("mine\n");
  });

  it("is not led out by a link that an agent put in place of .git", async () => {
    await using at = await fencedMachine();
    mkdirSync(join(at.home, "other"));
    symlinkSync(join(at.home, "sign-in"), join(at.home, "other/.git"));
    expect(await told(at, {}, "cat .git/key || echo closed", { cwd: "other" })).toEqual(["closed"]);
  });

  it("is not led out by a link that an agent put in place of another project", async () => {
    await using at = await fencedMachine();
    symlinkSync(join(at.home, "sign-in"), join(at.home, "app/sub"));
    await expect(told(at, {}, "cat key", { cwd: "app/sub" })).rejects.toThrow(
      `${join(at.home, "app/sub")} leads to ${join(at.home, "sign-in")}.`,
    );
  });

  it("cannot read our data in a directory of the system", async () => {
    await using at = await fencedMachine();
    expect(await told(at, { hidden: ["/usr/share"] }, "ls -A /usr/share; ls -d /usr/lib")).toEqual(["/usr/lib"]);
  });

  it("has no network when it is off, and that of this machine when it is on", async () => {
    await using at = await fencedMachine();
    const server = createServer((socket) => socket.end("hello\n"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = z.object({ port: z.int() }).parse(server.address());
    const script = `bash -c 'cat < /dev/tcp/127.0.0.1/${port}' 2>/dev/null || echo none; cat /proc/net/route | wc -l`;
    expect(await told(at, { network: false }, script)).toEqual(["none", "1"]);
    expect((await told(at, { network: true }, script))[0]).toBe("hello");
    server.close();
  });

  it("ends with its session, with all that it has started", async () => {
    await using at = await fencedMachine();
    const link = at.link({ setting: setting(at) });
    const lines: string[] = [];
    const agent = link.start({
      command: ["/bin/sh", "-c", `setsid -f sleep 1000; trap '' TERM; ${ECHO}; exec sleep 1000`],
      ...{ cwd: join(at.home, "app"), env: {}, held: { id: crypto.randomUUID(), label: "" } },
      ...{ onLine: (line: string) => void lines.push(line), onStderr: () => undefined, onTooLong: () => undefined },
    });
    await agent.started;
    await waitFor(
      () => lines,
      (all) => all.includes("ready"),
      "the agent",
    );
    await agent.stop("now");
    await agent.release();
    link.end();
    expect(await at.processes.leftAfter(LEFT_MS)).toEqual([]);
  });

  it(
    "[SC-27] [SC-32] is at a place like any other: cuts, changes, checkpoints, terminals and worktrees",
    async () => {
      await using at = await machine();
      at.cwd = join(at.home, "project");
      mkdirSync(at.cwd);
      const first = at.link({ setting: setting(at) });
      await carriesAgents(at, first);
      first.end();
      const second = at.link({ setting: setting(at), epoch: 2 });
      await hasWorkspace(at, second);
      await hasWorktrees(at, second);
    },
    COMMANDS_TIMEOUT_MS,
  );

  it(
    "[SC-26] reaches the tools to control other agents, without a network, and nothing else of the runner",
    async () => {
      await using dir = await tempDir();
      const home = dir.join("home");
      mkdirSync(join(home, "app"), { recursive: true });
      const eager = eagerAgent(true);
      const found = [
        "/bin/sh",
        "-c",
        'find "$HOME/.liminal-runner" ! -type d -printf "%P\\n" > "$0"; exec "$@"',
        "found",
      ];
      const agents = { eager: [...found, eager.command, ...(eager.args ?? [])] };
      const fence = { kind: "fence", network: false, read: [ROOT, dirname(process.execPath)], agents };
      await using server = await startTestServer({
        env: { HOME: home },
        prepare: (dataDir) =>
          writeFileSync(join(dataDir, "config.json"), JSON.stringify({ agents: { eager }, places: { fence } })),
      });
      const client = await server.connect();
      const { project } = await client.ask("project:added", { type: "project:add", path: "fence:~/app" });
      const talk = await anotherTalk(client, project.id, "eager");
      await talk.say("What did you find?");
      expect(talk.answer).toBe("liminal over stdio: 13 tools");
      expect(readFileSync(join(home, "app/found"), "utf8")).toMatch(/^[^/\n]+\/m\/s\n$/);
    },
    COMMANDS_TIMEOUT_MS,
  );

  it(
    "[SC-29] works in a session, also when the server is killed in a turn",
    async () => {
      await using dir = await tempDir();
      const home = dir.join("home");
      mkdirSync(join(home, "app"), { recursive: true });
      const places = { fenced: { kind: "fence", network: false } };
      await using server = await startTestServer({
        env: { HOME: home },
        prepare: (dataDir) => writeFileSync(join(dataDir, "config.json"), JSON.stringify({ places })),
      });
      const client = await server.connect();
      const { project } = await client.ask("project:added", { type: "project:add", path: "fenced:~/app" });
      let talk = await anotherTalk(client, project.id);
      let seq = await talk.send('edit note.txt "" "written there"');
      await talk.answerWith((await talk.asked()).options.find(({ kind }) => kind === "allow_once")?.optionId ?? "");
      await talk.untilIdle(seq);
      expect(readFileSync(join(home, "app/note.txt"), "utf8")).toBe("written there");
      seq = await talk.send("stream 400 words at 100/s");
      await talk.until("the first words", () => talk.answer.includes("w20"));
      await server.kill();
      await server.start();
      talk = await reopen(await server.connect(), talk);
      await talk.untilIdle(seq);
      const words = Array.from({ length: 400 }, (_, index) => `w${index + 1}`).join(" ");
      expect(talk.answer).toBe(`I created \`note.txt\`.${words}`);
    },
    COMMANDS_TIMEOUT_MS,
  );
});
