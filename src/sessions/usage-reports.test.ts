import { expect, it } from "bun:test";
import type { TurnUsage } from "../ports/usage-store.ts";
import { CliType, ProjectId, SessionId } from "../protocol/ids.ts";
import { UsageReports } from "./usage-reports.ts";

const turn = (at: string, extra: Partial<TurnUsage> = {}): TurnUsage => ({
  sessionId: SessionId.parse("builtin:a"),
  projectId: ProjectId.parse("p"),
  cliType: CliType.parse("builtin"),
  account: null,
  at,
  tokens: 10,
  cost: 0.5,
  currency: "USD",
  ...extra,
});

async function report(now: string, days: number, timeZone: string | undefined, ...turns: TurnUsage[]) {
  const world = { now: () => Date.parse(now), newId: () => "" } as never;
  const since = async (at: string, max: number) => turns.filter((one) => one.at >= at).slice(0, max);
  const request = { type: "usage:get", days, ...(timeZone !== undefined && { timeZone }) } as const;
  const answer = await new UsageReports({ world, store: { since } }).answer(request);
  if (answer.kind !== "message" || answer.message.type !== "usage:report") return answer;
  return { days: answer.message.days, rows: answer.message.rows.map(({ day, turns: n, tokens }) => [day, n, tokens]) };
}

it("X-44 turns of a day and a session are added up; accounts and currencies stay apart", async () => {
  const day = "2026-03-02";
  const rows = [
    turn(`${day}T12:00:00Z`),
    turn(`${day}T11:00:00Z`, { tokens: 5 }),
    turn(`${day}T10:00:00Z`, { account: "work" }),
  ];
  expect(await report(`${day}T13:00:00Z`, 2, "UTC", ...rows)).toEqual({
    days: ["2026-03-01", day],
    rows: [
      [day, 1, 10],
      [day, 2, 15],
    ],
  });
});

it("X-44 a day is the reader's day, also where clocks change", async () => {
  const late = turn("2026-03-08T04:30:00Z");
  expect(await report("2026-03-09T03:00:00Z", 2, "America/New_York", late)).toEqual({
    days: ["2026-03-07", "2026-03-08"],
    rows: [["2026-03-07", 1, 10]],
  });
  const autumn = await report("2026-11-02T12:00:00Z", 3, "America/New_York");
  expect(autumn).toMatchObject({ days: ["2026-10-31", "2026-11-01", "2026-11-02"] });
});

it("X-44 what is before the period is left out, and an unknown zone is refused", async () => {
  expect(await report("2026-03-02T13:00:00Z", 1, "UTC", turn("2026-03-01T23:59:59Z"))).toMatchObject({ rows: [] });
  expect(await report("2026-03-02T13:00:00Z", 1, "Mars/Olympus")).toMatchObject({ kind: "refused" });
});
