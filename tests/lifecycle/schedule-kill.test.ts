import { expect, test } from "bun:test";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { roundsOf, seededRandom } from "../support/seeded-random.ts";
import { startTestServer, type TestServer } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";

const KILLS_FULL = 100;
const ROUND_MS_MAX = 30_000;
/** At first; a machine that needs longer than that to save a schedule gets twice as long from then on. */
const DUE_AFTER_MS = 400;
const DUE_AFTER_MS_MAX = 20_000;
/** Starting the agent, sending and the whole turn fit into this, more or less. */
const KILLED_WITHIN_MS = 900;

test(
  "CV-40 kill -9 at any moment around a due time: one run, one session, one prompt",
  async () => {
    const random = seededRandom("kill -9 with schedules");
    await using server = await startTestServer();
    const path = await server.directory("demo");
    let client = await server.connect();
    const { project } = await client.ask("project:added", { type: "project:add", path });
    const counts = { kills: 0, beforeClaim: 0, starting: 0, running: 0, ended: 0 };
    const rounds = roundsOf(KILLS_FULL);
    let dueAfterMs = DUE_AFTER_MS;
    for (let round = 0; round < rounds; round += 1) {
      const prompt = `stream 20 words at ${random.pick([50, 200, 2_000])}/s`;
      let dueMs = 0;
      let scheduleId = "";
      while (scheduleId === "") {
        dueMs = Date.now() + dueAfterMs;
        const answer = await client.request({
          type: "schedule:save",
          projectId: project.id,
          name: `round ${round}`,
          cadence: { kind: "once", at: new Date(dueMs).toISOString() },
          target: { kind: "new", cliType: "builtin" },
          prompt,
          missed: "latest",
        });
        if (answer.type === "schedule:list")
          scheduleId = answer.schedules.find(({ name }) => name === `round ${round}`)?.id ?? "";
        // It came to the server when its time had passed: nothing was saved.
        else expect(answer).toMatchObject({ message: expect.stringContaining("is in the past") });
        if (answer.type !== "schedule:list") dueAfterMs *= 2;
        expect(dueAfterMs).toBeLessThan(DUE_AFTER_MS_MAX);
      }
      const killAt = dueMs + random.between(-50, KILLED_WITHIN_MS);
      await Bun.sleep(Math.max(0, killAt - Date.now()));
      await server.kill();
      counts.kills += 1;
      const before = storedRun(server, scheduleId);
      counts[before === null ? "beforeClaim" : before === "starting" || before === "running" ? before : "ended"] += 1;
      await server.start();
      client = await server.connect();
      const runs = await waitFor(
        async () => (await client.ask("schedule:runs", { type: "schedule:runs", scheduleId })).runs,
        ([run]) => run?.endedAt !== undefined,
        `the end of round ${round}`,
      );
      expect(runs).toHaveLength(1);
      // A turn may be cut off with the server; nothing else may go wrong.
      expect(["done", "failed"]).toContain(runs[0]?.state ?? "");
      const { sessions } = await client.ask("session:list", {
        type: "session:list",
        projectId: project.id,
        includeArchived: true,
      });
      expect(sessions.filter(({ title }) => title === `round ${round}`).map(({ id }) => id)).toEqual(
        runs.flatMap(({ sessionId }) => sessionId ?? []),
      );
      const sessionId = runs[0]?.sessionId ?? "";
      const { entries } = await client.ask("session:history", { type: "session:open", sessionId });
      expect(entries.filter(({ type }) => type === "user")).toHaveLength(1);
    }
    const { sessions } = await client.ask("session:list", { type: "session:list", projectId: project.id });
    expect(sessions).toHaveLength(rounds);
    console.log(`${JSON.stringify(counts)}: 0 lost, 0 twice`);
  },
  roundsOf(KILLS_FULL) * ROUND_MS_MAX,
);

/** What the killed server had stored of the run; null when nothing. */
function storedRun({ dataDir }: TestServer, scheduleId: string): string | null {
  const db = new DatabaseSync(join(dataDir, "liminal.db"), { readOnly: true });
  try {
    const row = db.prepare("SELECT state FROM schedule_run WHERE schedule_id = ?").get(scheduleId);
    return row ? String(row["state"]) : null;
  } finally {
    db.close();
  }
}
