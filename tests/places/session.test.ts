import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { serverAt } from "../../src/places/place-links.ts";
import { CliType, type ProjectId } from "../../src/protocol/ids.ts";
import { COMMANDS_TIMEOUT_MS, liminalJson } from "../cli/liminal.ts";
import { anotherTalk, reopen, type Talk } from "../integration/talk.ts";
import type { SocketClient } from "../support/socket-client.ts";
import { type TempDir, tempDir } from "../support/temp-dir.ts";
import { START, startTestServer, type TestServer } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";
import { TerminalView } from "../terminals/screen.ts";
import { git } from "../workspace/git-scene.ts";

/** Longer than the start of the server waits for a place where nothing runs. */
const SLOW_SECONDS = 6;
/** While it is there, each connection takes that long. */
const slowFile = (there: string) => join(there, "slow");

/** A runner with another home. */
function commandOf(there: string): string[] {
  const slowly = ["/bin/sh", "-c", `[ ! -e "$0" ] || sleep ${SLOW_SECONDS}; exec "$@"`, slowFile(there)];
  return ["/usr/bin/env", `HOME=${there}`, ...slowly, ...START, "runner"];
}

/** A server whose place `box` is a command with another home. */
async function startWithBox(there: string): Promise<TestServer> {
  const command = commandOf(there);
  return startTestServer({
    prepare: (dataDir) =>
      writeFileSync(join(dataDir, "config.json"), JSON.stringify({ places: { box: { kind: "command", command } } })),
  });
}

async function talkAt(server: TestServer, path: string): Promise<Talk> {
  const client = await server.connect();
  const { project } = await client.ask("project:added", { type: "project:add", path });
  return anotherTalk(client, project.id);
}

/** A project that was added before. */
async function projectAt(client: SocketClient, path: string): Promise<ProjectId> {
  const { projects } = await client.next("hello", () => true, 0);
  return (projects.find((project) => project.path === path) ?? raise()).id;
}

/** The last line of a command's output, and the prompt after it: then nothing more comes. */
const done = (line: string) => new RegExp(`${line}\\n[#$]$`);

/** The process that serves the connection to the place. */
function runnerPid(server: TestServer, there: string): number {
  const { server: id } = z.object({ server: z.string() }).parse(readJson(join(server.dataDir, "places.json")));
  return z.object({ pid: z.int() }).parse(readJson(join(there, ".liminal-runner", serverAt(id, "box"), "state.json")))
    .pid;
}

const readJson = (path: string): unknown => JSON.parse(readFileSync(path, "utf8"));

/** The numbered words that the agent streams. */
const STREAMED = Array.from({ length: 400 }, (_, index) => `w${index + 1}`).join(" ");

describe("a session at a place", () => {
  let dir: TempDir;
  let server: TestServer;
  let there: string;

  beforeAll(async () => {
    dir = await tempDir();
    there = dir.join("there");
    mkdirSync(join(there, "app"), { recursive: true });
    git(join(there, "app"), "init", "-q");
    mkdirSync(join(there, "second"));
    server = await startWithBox(there);
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    await dir[Symbol.asyncDispose]();
  });

  it("[SC-26] [SC-33] works in a directory there: permissions, files and commands are those of the place", async () => {
    const talk = await talkAt(server, "box:~/app");
    const added = talk.client.received.find((message) => message.type === "project:added");
    expect(added).toMatchObject({ project: { name: "app (box)", path: `box:${there}/app` } });
    const seq = await talk.send('edit note.txt "" "written there"');
    const { optionId } = (await talk.asked()).options.find(({ kind }) => kind === "allow_once") ?? { optionId: "" };
    expect(existsSync(join(there, "app/note.txt"))).toBe(false);
    await talk.answerWith(optionId);
    await talk.untilIdle(seq);
    expect(talk.answer).toContain("I created `note.txt`.");
    expect(readFileSync(join(there, "app/note.txt"), "utf8")).toBe("written there");
    // Its pid is one of that machine: here it may be any process.
    const status = await (await server.fetch("/api/status")).json();
    const own = { id: talk.sessionId, pid: expect.any(Number), memoryBytes: null };
    expect(status).toMatchObject({ sessions: expect.arrayContaining([expect.objectContaining(own)]) });
    const found = await talk.client.ask("files:found", {
      type: "files:search",
      sessionId: talk.sessionId,
      query: "note",
    });
    expect(found.files.map(({ path }) => path)).toEqual(["note.txt"]);
    await talk.until("the changes of the turn", () => talk.shape.includes("changes"));
    const { client, sessionId } = talk;
    const changes = await client.ask("changes:state", {
      type: "changes:open",
      sessionId,
      scope: { kind: "unreviewed" },
    });
    expect(changes.files).toMatchObject([{ path: "note.txt", status: "added", added: 1 }]);
    const listed = await client.ask("files:listing", { type: "files:list", sessionId, path: "" });
    expect(listed.entries).toMatchObject([{ name: "note.txt", status: "added" }]);
    const read = await client.ask("files:text", { type: "files:read", sessionId, path: "note.txt" });
    expect(read.content).toBe("written there");
    await client.ask("changes:state", {
      type: "changes:decide",
      ...{ sessionId, commandId: "d1", decision: "discard", scope: { kind: "unreviewed" }, expect: changes.version },
    });
    expect(existsSync(join(there, "app/note.txt"))).toBe(false);
    const { checkpoints } = await client.ask("checkpoint:list", { type: "checkpoint:list", sessionId });
    expect(checkpoints.map(({ phase }) => phase)).toEqual(["safety", "after", "before"]);
  });

  it("[SC-27] continues when the connection is cut in a turn, and shows that meanwhile; no text is lost or doubled", async () => {
    const talk = await talkAt(server, `box:${there}`);
    const mark = talk.client.mark();
    const seq = await talk.send("stream 400 words at 100/s");
    await talk.until("the first words", () => talk.answer.includes("w20"));
    process.kill(runnerPid(server, there), "SIGKILL");
    const cut = await talk.client.next("agent:status", ({ status }) => status === "reconnecting", mark);
    expect(cut.message).toBe("The connection to box was lost. The agent works on.");
    await talk.client.next("agent:status", ({ status }) => status === "connected", mark);
    await talk.untilIdle(seq);
    expect(talk.answer).toBe(STREAMED);
  });

  it(
    "[SC-29] goes on with the next server when this one is killed in a turn, however slow the connection is",
    async () => {
      let talk = await talkAt(server, `box:${dir.path}`);
      const seq = await talk.send("stream 400 words at 100/s");
      await talk.until("the first words", () => talk.answer.includes("w20"));
      await server.kill();
      writeFileSync(slowFile(there), "");
      await server.start();
      rmSync(slowFile(there));
      talk = await reopen(await server.connect(), talk);
      await talk.untilIdle(seq);
      expect(talk.answer).toBe(STREAMED);
      await talk.say("help");
      expect(talk.state.turn.stopReason).toBe("end_turn");
    },
    COMMANDS_TIMEOUT_MS,
  );

  it(
    "[SC-26] [SC-27] [SC-29] has terminals there, with the same screen after a cut connection and a killed server",
    async () => {
      const client = await server.connect();
      const talk = await anotherTalk(client, await projectAt(client, `box:${there}/app`));
      const { terminalId } = await client.ask("terminal:opened", { type: "terminal:open", sessionId: talk.sessionId });
      const view = await TerminalView.attach(client, terminalId);
      view.type("pwd; seq 300; printf '\\033[1;31mred\\033[0m '; echo o''k\r");
      expect(await view.shows(done("ok"))).toContain("300");
      const { terminals } = await client.ask("terminal:list", { type: "terminal:list" });
      expect(terminals).toMatchObject([{ terminalId, cwd: `box:${there}/app`, end: null }]);

      // A command whose end comes while nobody is connected.
      view.type(
        `: > ${there}/begun; while [ ! -e ${there}/go ]; do sleep 0.05; done; rm ${there}/go; echo went $((40+2))\r`,
      );
      await waitFor(() => existsSync(join(there, "begun")), Boolean, "the command to run");
      process.kill(runnerPid(server, there), "SIGKILL");
      writeFileSync(join(there, "go"), "");
      await view.shows(done("went 42"));
      const second = await TerminalView.attach(await server.connect(), terminalId);
      await second.shows(done("went 42"));
      expect(await second.screen.state()).toBe(await view.screen.state());

      await server.kill();
      await server.start();
      const after = await server.connect();
      await waitFor(
        async () => (await after.ask("terminal:list", { type: "terminal:list" })).terminals,
        (all) => all.some((one) => one.terminalId === terminalId),
        "the terminal of the place",
      );
      const fresh = await TerminalView.attach(after, terminalId);
      await fresh.shows(done("went 42"));
      expect(await fresh.screen.state()).toBe(await view.screen.state());
      fresh.type("exit 3\r");
      await after.next("terminal:exited", (message) => message.terminalId === terminalId && message.exitCode === 3, 0);
      await after.ask("ok", { type: "terminal:close", terminalId });
      expect((await after.ask("terminal:list", { type: "terminal:list" })).terminals).toEqual([]);
    },
    COMMANDS_TIMEOUT_MS,
  );

  it(
    "[SC-33] [SC-35] refuses what is not possible there, an unknown place and a missing directory, in words",
    async () => {
      const client = await server.connect();
      const add = (path: string) => client.ask("error", { type: "project:add", path });
      expect((await add("bxo:/tmp")).details).toBe(
        'There is no place "bxo". Known: box. Add one with: liminal place add user@host',
      );
      expect((await add("box:/no/such/directory")).details).toBe("That directory doesn't exist.");
      const { projects } = await client.next("hello", () => true, 0);
      const talk = await anotherTalk(client, projects[0]?.id ?? raise());
      const { sessionId, projectId } = talk;
      const editor = await client.ask("error", { type: "files:edit", sessionId, path: "note.txt" });
      expect(editor.message).toContain("Opening a file in your editor at another machine is not possible yet.");
      const other = await client.ask("error", {
        type: "session:create",
        projectId,
        cliType: CliType.parse("claude-code"),
      });
      expect(other.message).toContain("at box. Add its command under places.box.agents in config.json.");
    },
    COMMANDS_TIMEOUT_MS,
  );

  it(
    "[SC-35] [SC-27] is listed, added, checked, changed and removed by a client, and changes apply without a restart",
    async () => {
      const talk = await talkAt(server, "box:~/second");
      const { client } = talk;
      const mark = client.mark();
      const config = join(server.dataDir, "config.json");
      const { places: before } = z.object({ places: z.record(z.string(), z.unknown()) }).parse(readJson(config));
      const command = commandOf(there);
      const listed = await client.ask("place:list", { type: "place:list" });
      expect(listed).toMatchObject({ path: config, problems: [] });
      expect(listed.places).toMatchObject([
        { name: "box", setting: { kind: "command", command }, state: "connected", release: expect.any(String) },
      ]);
      const check = (name: string, words?: string[]) =>
        client.ask("settings:tested", {
          type: "place:check",
          name,
          ...(words && { setting: { kind: "command", command: words } }),
        });
      expect(await check("new-box", ["/bin/false"])).toMatchObject({
        ok: false,
        message: 'No runner answers at new-box (exit code 1): check that its command starts "liminal runner".',
      });
      expect(await check("new-box", command)).toMatchObject({ ok: true });
      expect(readJson(config)).toEqual({ places: before });

      const save = (name: string, isNew: boolean, words: string[]) =>
        ({ type: "place:save", name, isNew, setting: { kind: "command", command: words } }) as const;
      expect((await client.ask("error", save("box", true, command))).details).toContain("already");
      expect((await client.ask("error", save("gone-box", false, command))).details).toContain("any more");
      await client.ask("place:list", save("new-box", true, ["/bin/false"]));
      expect((await check("new-box")).ok).toBe(false);
      const isSettled = ({ name, state }: { name: string; state: string }) =>
        name === "new-box" && state !== "connecting";
      const failed = await client.next("place:state", isSettled, mark);
      expect(failed).toMatchObject({ state: "unreachable", problem: expect.stringContaining("No runner answers") });
      await client.ask("place:list", save("new-box", false, command));
      expect((await check("new-box")).ok).toBe(true);

      // The agent of a running turn is reached the new way.
      const seq = await talk.send("stream 400 words at 100/s");
      await talk.until("the first words", () => talk.answer.includes("w20"));
      await client.ask("place:list", save("box", false, ["/usr/bin/env", ...command]));
      expect((await check("box")).ok).toBe(true);
      await talk.untilIdle(seq);
      expect(talk.answer).toBe(STREAMED);

      const left = await client.ask("place:list", { type: "place:remove", name: "new-box" });
      expect(left.places.map(({ name }) => name)).toEqual(["box"]);
      expect(readJson(config)).toEqual({ places: { box: { kind: "command", command: ["/usr/bin/env", ...command] } } });
    },
    COMMANDS_TIMEOUT_MS,
  );

  it(
    "[SC-34] is started from the command line, and leaves no process when the server stops",
    async () => {
      const { value: answer } = await liminalJson(server, ["run", "--wait", "-p", "box:~/app", "stream 3 words"]);
      expect(answer).toMatchObject({ status: "done" });
      const client = await server.connect();
      const projectId = await projectAt(client, `box:${there}/app`);
      await client.ask("terminal:opened", { type: "terminal:open", projectId });
      await server.stop();
      expect(await server.processes.leftAfter(20_000)).toEqual([]);
    },
    COMMANDS_TIMEOUT_MS,
  );
});

function raise(): never {
  throw new Error("there is no project");
}
