import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { createHash } from "node:crypto";
import { copyFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { CommandId } from "../../src/protocol/ids.ts";
import { reopen, startTalk } from "../integration/talk.ts";
import { CAN_RUN_POSTGRES, POSTGRES, PostgresServer } from "../support/postgres-server.ts";
import { startTestServer } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";
import { COMMANDS_TIMEOUT_MS, liminal, liminalJson } from "./liminal.ts";

describe.skipIf(!CAN_RUN_POSTGRES)(`liminal move and ${POSTGRES}`, () => {
  let postgres: PostgresServer;
  beforeAll(async () => {
    postgres = await PostgresServer.start();
  });
  afterAll(() => postgres[Symbol.asyncDispose]());

  it(
    "SC-3 a conversation goes to PostgreSQL and back, and goes on; a command that is repeated is answered alike",
    async () => {
      await using server = await startTestServer();
      const url = await postgres.createDatabase();
      const talk = await startTalk(server);
      const command = {
        type: "session:create",
        projectId: talk.projectId,
        cliType: "builtin",
        commandId: CommandId.parse("again"),
      } as const;
      const created = await talk.client.ask("session:created", command);
      await talk.say("stream 30 words");
      const running = await liminal(server, ["move", "--to", url]);
      expect(running).toMatchObject({ code: 1, stdout: "" });
      expect(running.stderr).toContain("liminal stop");
      expect((await liminal(server, ["stop"])).code).toBe(0);
      await server.ended();
      const database = join(server.dataDir, "liminal.db");
      const back = join(server.home, "back");
      const before = digestOf(database);
      const env = { LIMINAL_DATABASE_URL: url };
      const moved = await liminalJson(server, ["move", "--to", "env"], { env });
      expect(moved).toMatchObject({ code: 0, value: { projects: 1, sessions: 2 } });
      expect(digestOf(database)).toBe(before);
      await server.start(env);
      const there = await reopen(await server.connect(), talk);
      expect(there.entries).toEqual(talk.entries);
      await there.say("stream 3 words");
      const busy = await liminal(server, ["move", "--from", "env"], { env: { ...env, LIMINAL_DATA_DIR: back } });
      expect(busy).toMatchObject({ code: 1, stdout: "" });
      expect((await liminal(server, ["stop"])).code).toBe(0);
      await server.ended();
      const returned = await liminalJson(server, ["move", "--from", "env"], {
        env: { ...env, LIMINAL_DATA_DIR: back },
      });
      expect(returned).toMatchObject({ code: 0, value: { projects: 1, sessions: 2, dataDir: back } });
      expect(digestOf(database)).toBe(before);
      copyFileSync(join(back, "liminal.db"), database);
      await server.start();
      const client = await server.connect();
      const again = await reopen(client, talk);
      expect(again.entries).toEqual(there.entries);
      expect((await client.ask("session:created", command)).sessionId).toBe(created.sessionId);
      await again.say("stream 2 words");
      expect(again.messages).toEqual(["stream 30 words", "stream 3 words", "stream 2 words"]);
      // The search reads the copy in small steps, after the start.
      await waitFor(
        () => client.ask("search:results", { type: "search", query: '"stream 30 words"' }),
        ({ hits }) => hits.some(({ sessionId }) => sessionId === talk.sessionId),
        "the search to know what was moved",
      );
    },
    COMMANDS_TIMEOUT_MS,
  );

  it(
    "SC-3 what cannot be moved is refused in words, and a wrong command line is told how it is written",
    async () => {
      await using server = await startTestServer();
      expect((await liminal(server, ["stop"])).code).toBe(0);
      await server.ended();
      const url = await postgres.createDatabase();
      for (const args of [[], ["--to", url, "--from", url], ["--to", "env"]])
        expect(await liminal(server, ["move", ...args])).toMatchObject({ code: 2, stdout: "" });
      for (const args of [
        ["--to", "https://example.com"],
        ["--to", "postgres://somebody@localhost:1/nothing"],
        ["--to", "postgres://me:secret@db.example.com/liminal?sslmode=disable"],
        ["--from", url],
      ]) {
        const { code, stderr } = await liminal(server, ["move", ...args]);
        expect({ code, lines: stderr.trimEnd().split("\n").length }, stderr).toEqual({ code: 1, lines: 1 });
        expect(stderr).not.toContain("secret");
      }
    },
    COMMANDS_TIMEOUT_MS,
  );
});

function digestOf(path: string): string {
  return createHash("sha256").update(readFileSync(path)).digest("hex");
}
