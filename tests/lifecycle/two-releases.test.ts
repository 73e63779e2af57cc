import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { cpSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { liminalJson } from "../cli/liminal.ts";
import { CAN_RUN_POSTGRES, POSTGRES, PostgresServer } from "../support/postgres-server.ts";
import { tempDir } from "../support/temp-dir.ts";
import { ROOT, START } from "../support/test-server.ts";
import { readRecord } from "./agent-record.ts";
import { Team } from "./team.ts";

const TEST_MS_MAX = 120_000;
const MIGRATIONS = "src/store/postgres/migrations.ts";
/** Adds in every way in which a release may. */
const NEXT_STEP = `
  \`
CREATE TABLE later (id text PRIMARY KEY);
ALTER TABLE session ADD COLUMN later text;
ALTER TABLE fact ADD COLUMN later integer NOT NULL DEFAULT 0;
ALTER TABLE owner ADD COLUMN later text;
ALTER TABLE replica ADD COLUMN later text;
\`,
];
`;

/** The program with one more step of the schema, in a directory of its own. */
function makeNextRelease(dir: string): readonly string[] {
  for (const name of ["src", "builtin-agent", "bin", "dist", "package.json"])
    cpSync(join(ROOT, name), join(dir, name), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(dir, "node_modules"));
  const path = join(dir, MIGRATIONS);
  const text = readFileSync(path, "utf8");
  const end = text.indexOf("\n];\n", text.indexOf("const MIGRATIONS"));
  writeFileSync(path, `${text.slice(0, end)}${NEXT_STEP}${text.slice(end + "\n];\n".length)}`);
  return [process.execPath, join(dir, "src/cli/main.ts")];
}

let database: PostgresServer;

describe.skipIf(!CAN_RUN_POSTGRES)(`two releases of a team on ${POSTGRES}`, () => {
  beforeAll(async () => {
    database = await PostgresServer.start();
  });
  afterAll(() => database[Symbol.asyncDispose]());

  it(
    "[SC-43] run side by side on one schema, and either takes over from the other in the middle of a turn",
    async () => {
      await using dir = await tempDir();
      const next = makeNextRelease(dir.path);
      await using team = await Team.prepare(database, { commandOf: (nth) => (nth === 0 ? START : next) });
      const [earlier, later] = team.servers;
      if (!earlier || !later) throw new Error("two servers");
      const version = async () => {
        const [row] = await database.ask(team.database, "SELECT version FROM schema_version");
        return Number(row?.["version"]);
      };
      await earlier.start();
      const talk = await team.talk(earlier);
      const before = await version();
      await talk.send("stream 900000 words at 400/s");
      await talk.until("the first words", () => talk.answer.includes("w100 "));
      await later.start();
      expect(await version()).toBe(before + 1);
      // The one that works knows nothing of what was added.
      await talk.until("more words", () => talk.answer.includes("w300 "));
      await earlier.kill();
      let there = await talk.joinedBy(await team.connect(later));
      expect(there.state.turn.state).toBe("running");
      // It is restarted on the newer schema, and takes over.
      await earlier.start();
      await later.kill();
      there = await talk.joinedBy(await team.connect(earlier));
      expect(there.state.turn.state).toBe("running");
      await there.cancel();
      await there.untilTurnsEnded(1);
      expect(there.answer === readRecord(team.record)[0]?.text).toBe(true);
      expect(await version()).toBe(before + 1);
      const { value } = await liminalJson(earlier, ["doctor", "--no-agents"], {
        env: { LIMINAL_DATABASE_URL: team.url },
      });
      const { checks } = z.object({ checks: z.array(z.looseObject({ id: z.string() })) }).parse(value);
      expect(checks.find(({ id }) => id === "database")).toMatchObject({ status: "ok" });
      // A release that removed something says so, and this one stays away.
      await earlier.stop();
      await database.ask(team.database, "UPDATE schema_version SET fits_from = version");
      const { code, stderr } = await earlier.startInVain();
      expect([code, stderr.includes("made by a newer version")]).toEqual([1, true]);
    },
    TEST_MS_MAX,
  );
});
