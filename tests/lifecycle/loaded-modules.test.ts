import { describe, expect, it } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { COMMANDS_TIMEOUT_MS } from "../cli/liminal.ts";
import { ROOT, START, startTestServer, TestServer, type TestServerOptions } from "../support/test-server.ts";

const SOURCE = join(ROOT, "src/cli/main.ts");
const PRELOAD = join(ROOT, "tests/lifecycle/loaded-modules.ts");
/** All that a server has of places before one is used. */
const DOOR_OF_PLACES = ["src/places/place-error.ts", "src/places/places.ts"];
/** Loaded with the setting or the first use that they are for. */
const OPTIONAL = [
  /^src\/places\//,
  /^src\/access\/openid-connect\.ts$/,
  /^src\/store\/(?:postgres|move)\//,
  /^src\/operations\/(?:backup|doctor|install)\//,
  /^src\/operations\/tls\/(?!prepare-tls\.ts$)/,
  /^src\/operations\/(?:open-postgres-stores|check-place|copy-program|test-tool-server)\.ts$/,
  /^src\/(?:server\/start-replica|bridge\/standby-server)\.ts$/,
  /^src\/orchestration\/(?:mcp-endpoint\.ts$|tools\/)/,
];
/** Loaded with the first client, session, agent, terminal, search or request that needs it. */
const UNUSED_AT_FIRST = [
  /^src\/workspace\/(?:vault|merging|worktrees|git)\//,
  /^src\/workspace\/(?:workdirs?|review|housekeeping|file-search|list-files)\.ts$/,
  /^src\/agents\/(?:history\/|acp\/(?:acp-|translate\/))/,
  /^src\/sessions\/(?:transfer\/|(?:session|attempts)\.ts$)/,
  /^src\/sessions\/(?:handover\/session-brancher|policy\/(?:evaluate|judge|offer|shell)-.*|schedules\/cadence)\.ts$/,
  /^src\/bridge\/(?:socket-connection|answer-message|openapi|(?:api|data|push|transfer)-routes|hook-route)\.ts$/,
  /^src\/store\/database\/(?:salvage|rebuild-schema)\.ts$/,
  /^src\/terminals\//,
  /^src\/protocol\/(?:client-messages|server-messages|session-messages|worktrees|terminals|places)\.ts$/,
];
const PACKAGES = ["zod"];

/** The real server, run from its sources: it leaves a list of what it has loaded. */
const FROM_SOURCE: TestServerOptions = { command: [process.execPath, "--preload", PRELOAD, SOURCE] };

function loadedBy({ dataDir }: TestServer): string[] {
  const paths = readFileSync(join(dataDir, "loaded-modules"), "utf8").split("\n");
  return paths.map((path) => relative(ROOT, path)).sort();
}

const unusedAtFirst = (paths: readonly string[]) =>
  paths.filter((path) => UNUSED_AT_FIRST.some((part) => part.test(path)));
const optional = (paths: readonly string[]) => paths.filter((path) => OPTIONAL.some((part) => part.test(path)));

function packagesOf(paths: readonly string[]): string[] {
  return [...new Set(paths.flatMap((path) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []))];
}

describe("[SC-1] a server", () => {
  it(
    "without settings loads nothing of places, of PostgreSQL, of a sign-in service or of TLS, and no package that only they or tools need",
    async () => {
      await using server = await startTestServer(FROM_SOURCE);
      await server.connect();
      await server.stop();
      const loaded = loadedBy(server);
      expect(loaded).toContain("src/server/start-server.ts");
      expect(optional(loaded)).toEqual(DOOR_OF_PLACES);
      expect(packagesOf(loaded)).toEqual(PACKAGES);
    },
    COMMANDS_TIMEOUT_MS,
  );

  it(
    "loads nothing for its first page that only work needs: no sessions, agents, terminals, files or Git",
    async () => {
      await using server = await startTestServer(FROM_SOURCE);
      expect((await server.fetch("/")).status).toBe(200);
      await server.stop();
      expect(unusedAtFirst(loadedBy(server))).toEqual([]);

      await server.start();
      await server.connect();
      await server.stop();
      expect(loadedBy(server)).toContain("src/bridge/socket-connection.ts");
      expect(loadedBy(server)).not.toContain("src/workspace/workdirs.ts");
    },
    COMMANDS_TIMEOUT_MS,
  );

  it(
    "loads what connects to a place with the first use of one, not with its setting",
    async () => {
      const places = { box: { kind: "command", command: [...START, "runner"] } };
      await using server = await startTestServer({
        ...FROM_SOURCE,
        prepare: (dataDir) => writeFileSync(join(dataDir, "config.json"), JSON.stringify({ places })),
      });
      const listed = await (await server.connect()).ask("place:list", { type: "place:list" });
      expect(listed.places).toMatchObject([{ name: "box", state: "idle" }]);
      await server.stop();
      expect(optional(loadedBy(server))).toEqual(DOOR_OF_PLACES);

      await server.start();
      const client = await server.connect();
      expect(await client.ask("settings:tested", { type: "place:check", name: "box" })).toMatchObject({ ok: true });
      await server.stop();
      expect(optional(loadedBy(server))).toContain("src/places/place-link.ts");
    },
    COMMANDS_TIMEOUT_MS,
  );

  it(
    "loads what speaks with a sign-in service with the first sign-in, not with its setting",
    async () => {
      const oidc = { issuer: "http://127.0.0.1:1", clientId: "liminal" };
      await using server = await startTestServer({
        ...FROM_SOURCE,
        prepare: (dataDir) => writeFileSync(join(dataDir, "config.json"), JSON.stringify({ oidc })),
      });
      expect(await (await server.fetch("/sign-in")).text()).toContain("Sign in with 127.0.0.1:1");
      await server.stop();
      expect(optional(loadedBy(server))).toEqual(DOOR_OF_PLACES);
      expect(packagesOf(loadedBy(server))).toEqual(PACKAGES);

      await server.start();
      expect((await server.fetch("/sign-in/service")).status).toBe(502);
      await server.stop();
      expect(packagesOf(loadedBy(server))).toContain("openid-client");
    },
    COMMANDS_TIMEOUT_MS,
  );

  it(
    "loads what speaks with PostgreSQL if a URL names one",
    async () => {
      const env = { LIMINAL_DATABASE_URL: "postgres://nobody@127.0.0.1:1/nothing" };
      await using server = await TestServer.prepare({ ...FROM_SOURCE, env });
      expect((await server.startInVain()).code).toBe(1);
      expect(optional(loadedBy(server))).toContain("src/operations/open-postgres-stores.ts");
    },
    COMMANDS_TIMEOUT_MS,
  );
});
