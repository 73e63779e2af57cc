import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { PlaceLinks } from "../../src/places/place-links.ts";
import type { PlacesParts } from "../../src/places/places-parts.ts";
import { COMMANDS_TIMEOUT_MS } from "../cli/liminal.ts";
import { DIAL_IN, RunnerProcess, Switchboard } from "./dialling.ts";
import { type Machine, machine } from "./machine.ts";
import { carriesAgents, hasWorkspace, hasWorktrees } from "./one-suite.ts";

describe("[SC-32] [SC-37] a place that dials in", () => {
  let at: Machine;
  let server: Switchboard;
  let runner: RunnerProcess;

  beforeAll(async () => {
    at = await machine();
    server = await Switchboard.open();
    runner = new RunnerProcess(at, "--join", (await server.invite()).text);
    await runner.says("Joined 127.0.0.1:");
  });
  afterAll(async () => {
    await runner[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
    await at[Symbol.asyncDispose]();
  });

  it(
    "[SC-27] carries agents and files; no line is lost or doubled when it is cut",
    async () => {
      await carriesAgents(at, server.place(at));
      expect(runner.said).toContain("as box.");
    },
    COMMANDS_TIMEOUT_MS,
  );

  it(
    "[SC-26] [SC-33] has changes, checkpoints, terminals and worktrees",
    async () => {
      const before = server.arrived.length;
      server.link?.end();
      await server.next(before + 1);
      const link = server.place(at, { epoch: 2 });
      await hasWorkspace(at, link);
      await hasWorktrees(at, link);
    },
    COMMANDS_TIMEOUT_MS,
  );
});

describe("[SC-37] in a team of servers", () => {
  it("no machine dials in: the place says what to use instead", () => {
    const parts: Partial<PlacesParts> = {
      ...{ configured: () => [DIAL_IN], identity: { read: () => null, write: () => undefined } },
      ...{ newId: () => crypto.randomUUID(), isShared: true },
    };
    const links = new PlaceLinks(parts as PlacesParts);
    expect(() => links.link("box")).toThrow(
      "box dials in to one server, and a team has several. Use a place that each of its servers reaches by SSH",
    );
  });
});
