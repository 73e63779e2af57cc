import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { ProjectId } from "../../src/protocol/ids.ts";
import { COMMANDS_TIMEOUT_MS, liminal, liminalJson } from "../cli/liminal.ts";
import { anotherTalk, reopen, type Talk } from "../integration/talk.ts";
import type { SocketClient } from "../support/socket-client.ts";
import { type TempDir, tempDir } from "../support/temp-dir.ts";
import { startTestServer, type TestServer } from "../support/test-server.ts";
import { RunnerProcess } from "./dialling.ts";

const Made = z.object({ link: z.string(), command: z.string(), expiresAt: z.string() });
/** The numbered words that the agent streams. */
const STREAMED = Array.from({ length: 400 }, (_, index) => `w${index + 1}`).join(" ");

async function stateOf(client: SocketClient) {
  const { places } = await client.ask("place:list", { type: "place:list" });
  return places.find(({ name }) => name === "box");
}

describe("[SC-37] a session at a machine that dials in", () => {
  let dir: TempDir;
  let server: TestServer;
  let at: { readonly home: string; readonly processes: TestServer["processes"] };
  const runners: RunnerProcess[] = [];

  const start = (...words: string[]) => {
    const runner = new RunnerProcess(at, ...words);
    runners.push(runner);
    return runner;
  };
  const link = async (...words: string[]) => Made.parse((await liminalJson(server, ["place", ...words])).value);
  /** A session that has said the first of its words. */
  const streaming = async (): Promise<{ readonly talk: Talk; readonly seq: number }> => {
    const client = await server.connect();
    const { projects } = await client.next("hello", () => true, 0);
    const talk = await anotherTalk(client, ProjectId.parse(projects[0]?.id));
    const seq = await talk.send("stream 400 words at 100/s");
    await talk.until("the first words", () => talk.answer.includes("w20"));
    return { talk, seq };
  };
  const isCut = ({ client }: Talk, reason: string) =>
    client.next(
      "agent:status",
      ({ status, message }) => status === "reconnecting" && message?.includes(reason) === true,
      0,
    );

  beforeAll(async () => {
    dir = await tempDir();
    const home = dir.join("there");
    mkdirSync(join(home, "app"), { recursive: true });
    server = await startTestServer({
      prepare: (data) => writeFileSync(join(data, "config.json"), JSON.stringify({ dialIn: { host: "127.0.0.1" } })),
    });
    at = { home, processes: server.processes };
  });
  afterAll(async () => {
    // The agents there end with the server, by the runner.
    if (server.isRunning) await server.stop();
    for (const runner of runners) await runner.kill();
    await server[Symbol.asyncDispose]();
    await dir[Symbol.asyncDispose]();
  });

  it(
    "joins by a link of the command line, and is listed and checked",
    async () => {
      const made = await link("add", "box", "--dial-in");
      expect(made.command).toBe(`liminal runner --join ${made.link}`);
      const client = await server.connect();
      expect(await stateOf(client)).toMatchObject({
        ...{ setting: { kind: "dial-in" }, state: "idle" },
        problem: expect.stringContaining('No machine has joined as box: make a link with "liminal place link box"'),
      });
      const runner = start("--join", made.link);
      await runner.says("Connected to ");
      expect(await liminal(server, ["place", "check", "box"])).toMatchObject({ code: 0 });
      expect((await liminal(server, ["place", "list"])).stdout).toContain("dials in: liminal runner --dial box");
      const { project } = await client.ask("project:added", { type: "project:add", path: "box:~/app" });
      expect(project.path).toBe(`box:${at.home}/app`);
      const talk = await anotherTalk(client, project.id);
      await talk.untilIdle(await talk.send("stream 3 words"));
      expect(talk.answer).toContain("w1 w2 w3");
    },
    COMMANDS_TIMEOUT_MS,
  );

  it(
    "[SC-27] [SC-29] goes on when its runner is killed in a turn and dials in again; meanwhile the place says since when it is away",
    async () => {
      const { talk, seq } = await streaming();
      await runners.at(-1)?.kill();
      await isCut(talk, "box has not dialled in since ");
      expect(await stateOf(talk.client)).toMatchObject({
        state: "unreachable",
        problem: expect.stringMatching(
          /^box has not dialled in since [-\d]+ [\d:]+ UTC: start "liminal runner --dial box"/,
        ),
      });
      await start("--dial").says("Connected to ");
      await talk.untilIdle(seq);
      expect(talk.answer).toBe(STREAMED);
    },
    COMMANDS_TIMEOUT_MS,
  );

  it(
    "[SC-27] [SC-29] goes on with the next server when this one is killed in a turn: the runner dials back",
    async () => {
      const { talk, seq } = await streaming();
      await server.kill();
      await server.start();
      const again = await reopen(await server.connect(), talk);
      await again.untilIdle(seq);
      expect(again.answer).toBe(STREAMED);
      expect(runners.at(-1)?.child.exitCode).toBe(null);
    },
    COMMANDS_TIMEOUT_MS,
  );

  it(
    "waits when its machine is revoked in a turn, which cannot come back by itself, and goes on when it has joined again",
    async () => {
      const { talk, seq } = await streaming();
      const runner = runners.at(-1);
      await liminalJson(server, ["place", "revoke", "box"]);
      expect(await runner?.ended()).toBe(1);
      expect(runner?.said).toContain("The server has revoked this runner: to join again as box");
      await isCut(talk, "No machine has joined as box");
      const stranger = start("--dial");
      await stranger.says("does not let this machine in as box, because its certificate was revoked or replaced");
      await isCut(talk, "because its certificate was revoked: to let it in, make a new link");
      await stranger.kill();
      await start("--join", (await link("link", "box")).link).says("Connected to ");
      await talk.untilIdle(seq);
      expect(talk.answer).toBe(STREAMED);
    },
    COMMANDS_TIMEOUT_MS,
  );

  it(
    "is cut when its place is taken out of config.json, by hand or by the command line, and is a stranger after that",
    async () => {
      const path = join(server.dataDir, "config.json");
      const config = readFileSync(path, "utf8");
      writeFileSync(path, JSON.stringify({ dialIn: { host: "127.0.0.1" } }));
      expect(await runners.at(-1)?.ended()).toBe(1);
      writeFileSync(path, config);
      const client = await server.connect();
      expect((await stateOf(client))?.problem).toContain('make a link with "liminal place link box"');

      const runner = start("--join", (await link("link", "box")).link);
      await runner.says("Connected to ");
      await liminalJson(server, ["place", "remove", "box"]);
      expect(await runner.ended()).toBe(1);
      expect((await client.ask("error", { type: "place:invite", name: "box" })).message).toContain(
        'There is no place "box".',
      );

      // While no server runs, too.
      await start("--join", (await link("add", "box", "--dial-in")).link).says("Connected to ");
      await server.stop();
      await liminalJson(server, ["place", "revoke", "box"]);
      await server.start();
      await runners.at(-1)?.says("does not let this machine in as box");
      await runners.at(-1)?.kill();
      await start("--join", (await link("link", "box")).link).says("Connected to ");
    },
    COMMANDS_TIMEOUT_MS,
  );
});
