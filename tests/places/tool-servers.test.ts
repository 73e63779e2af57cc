import { expect, it } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startHttpMcpServer, stdioMcpServer } from "../agents/lab-mcp-server.ts";
import { COMMANDS_TIMEOUT_MS } from "../cli/liminal.ts";
import { anotherTalk } from "../integration/talk.ts";
import { eagerAgent } from "../orchestration/eager-agent.ts";
import { tempDir } from "../support/temp-dir.ts";
import { START, startTestServer } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";
import { RUNNER_WITHOUT_TOOLS } from "./runner-without-tools.ts";

it(
  "[SC-26] [SC-32] an agent at a place finds our tools and the tool servers that name the place; an older runner has agents without our tools, and the server says so",
  async () => {
    await using dir = await tempDir();
    using web = startHttpMcpServer();
    const eager = eagerAgent(true);
    const home = (name: string) => {
      mkdirSync(dir.join(name));
      return ["/usr/bin/env", `HOME=${dir.join(name)}`];
    };
    const agents = { eager: [eager.command, ...(eager.args ?? [])] };
    const config = {
      agents: { eager },
      places: {
        box: { kind: "command", command: [...home("box"), ...START, "runner"], agents },
        older: { kind: "command", command: [...home("older"), ...RUNNER_WITHOUT_TOOLS], agents },
      },
      mcpServers: {
        here: stdioMcpServer("/dev/null"),
        there: { ...stdioMcpServer("/dev/null"), places: ["box"] },
        web: { ...web.setting, places: ["box", "older"] },
      },
    };
    await using server = await startTestServer({
      prepare: (dataDir) => writeFileSync(join(dataDir, "config.json"), JSON.stringify(config)),
    });
    const client = await server.connect();
    const foundAt = async (path: string) => {
      const { project } = await client.ask("project:added", { type: "project:add", path });
      const { servers } = await client.ask("mcp:servers", { type: "mcp:list", projectId: project.id });
      const talk = await anotherTalk(client, project.id, "eager");
      await talk.say("What did you find?");
      return { listed: servers.map(({ name }) => name), found: talk.answer.split("\n").toSorted() };
    };
    expect(await foundAt("box:~")).toEqual({
      listed: ["there", "web"],
      found: ["liminal over stdio: 13 tools", "there over stdio: 1 tools", "web over http: 1 tools"],
    });
    expect(await foundAt("older:~")).toEqual({ listed: ["web"], found: ["web over http: 1 tools"] });
    expect(await foundAt(await server.directory("app"))).toMatchObject({ listed: ["here", "there", "web"] });
    await waitFor(
      () => server.log,
      (log) => log.includes("Agents at older get no tools to control other agents, because release "),
      "the word about the older runner",
    );
    expect(server.log).not.toContain("Agents at box get no tools");
    const listedAt = async (place: string) => {
      const { projects } = await client.ask("project:list", { type: "project:list" });
      const projectId = projects.find(({ path }) => path.startsWith(place))?.id ?? "";
      const { servers } = await client.ask("mcp:servers", { type: "mcp:list", projectId });
      return servers.map(({ name }) => name);
    };
    // The form of a tool server names its places; a client that does not know of them keeps them.
    const { servers } = await client.ask("settings:agents", { type: "settings:agents" });
    const { setting } = servers.find(({ name }) => name === "there") ?? {};
    if (!setting) throw new Error("there is such a tool server");
    await client.ask("settings:agents", { type: "settings:save-server", name: "renamed", was: "there", setting });
    const { mcpServers } = JSON.parse(readFileSync(join(server.dataDir, "config.json"), "utf8"));
    expect(mcpServers).toMatchObject({ renamed: { places: ["box"] }, here: config.mcpServers.here });
    expect(setting.places).toEqual(["box"]);
    const { places: _, ...older } = setting;
    const save = { type: "settings:save-server", name: "renamed" } as const;
    const placesNow = () =>
      JSON.parse(readFileSync(join(server.dataDir, "config.json"), "utf8")).mcpServers.renamed.places;
    await client.ask("settings:agents", { ...save, setting: older });
    expect(placesNow()).toEqual(["box"]);
    await client.ask("settings:agents", { ...save, setting: { ...setting, places: ["box", "older"] } });
    expect(placesNow()).toEqual(["box", "older"]);
    expect(await listedAt("older:")).toEqual(["renamed", "web"]);
    await client.ask("settings:agents", { ...save, setting: { ...setting, places: [] } });
    expect(placesNow()).toBeUndefined();
    expect(await listedAt("box:")).toEqual(["web"]);
  },
  COMMANDS_TIMEOUT_MS,
);
