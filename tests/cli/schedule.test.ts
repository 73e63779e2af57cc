import { expect, test } from "bun:test";
import { startTestServer } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";
import { COMMANDS_TIMEOUT_MS, liminal, liminalJson } from "./liminal.ts";

test(
  "CV-42 [X-14] schedule: add, list, run, history, disable, enable and remove, in words and as JSON",
  async () => {
    await using server = await startTestServer();
    const cwd = await server.directory("demo");
    const at = { cwd };
    expect((await liminal(server, ["schedule"], at)).stdout).toContain("No schedules.");
    const wrong = await liminal(server, ["schedule", "add", "hello"], at);
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining("--cron")]);
    const cron = ["--cron", "0 9 * * 1-5", "--zone", "Europe/Berlin"];
    const bad = await liminal(server, ["schedule", "add", "--cron", "0 25 * * *", "hello"], at);
    expect([bad.code, bad.stderr]).toEqual([
      1,
      expect.stringMatching(/^"0 25 \* \* \*" is not a cron expression: its hour is "25", so use 0 to 23, .*\.$/m),
    ]);
    const unknown = await liminal(server, ["schedule", "add", "--cron", "0 9 * * *", "--agent", "nobody", "hello"], at);
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining("nobody")]);
    // What was refused has not added the directory to the projects.
    expect((await liminalJson(server, ["projects"], at)).value.projects).toEqual([]);
    const empty = await liminal(server, ["schedule", "add", "--cron", "0 9 * * *", " "], at);
    expect([empty.code, empty.stderr]).toEqual([2, expect.stringContaining("The prompt is empty.")]);
    const added = await liminalJson(server, ["schedule", "add", ...cron, "-n", "Hello", "--minutes", "5", "hello"], at);
    const { schedule } = added.value;
    expect(schedule).toMatchObject({
      name: "Hello",
      cadence: { kind: "cron", cron: "0 9 * * 1-5", zone: "Europe/Berlin" },
      budget: { workMs: 300_000 },
      missed: "latest",
      enabled: true,
    });
    const listed = await liminal(server, ["schedule"], at);
    expect(listed.stdout).toContain("0 9 * * 1-5 (Europe/Berlin)");
    expect((await liminal(server, ["schedule", "run", "Hel"], at)).code).toBe(0);
    const { runs } = await waitFor(
      async () => (await liminalJson(server, ["schedule", "history", schedule.id], at)).value,
      (history) => history.runs[0]?.endedAt !== undefined,
      "the end of the run",
    );
    const { state, sessionId } = runs[0];
    expect([state, sessionId.split(":")[0]]).toEqual(["done", "builtin"]);
    expect((await liminal(server, ["schedule", "history", schedule.id], at)).stdout).toContain(sessionId);
    expect((await liminal(server, ["schedule", "disable", "Hello"], at)).stdout).toContain("Disabled Hello.");
    expect((await liminal(server, ["schedule", "list"], at)).stdout).toContain("disabled");
    expect((await liminal(server, ["schedule", "enable", "Hello"], at)).code).toBe(0);
    expect((await liminal(server, ["schedule", "remove", "none"], at)).code).toBe(1);
    expect((await liminal(server, ["schedule", "remove", schedule.id], at)).code).toBe(0);
    expect((await liminalJson(server, ["schedule"], at)).value.schedules).toEqual([]);
  },
  COMMANDS_TIMEOUT_MS,
);
