import { expect, it } from "bun:test";
import { ProjectId } from "../../protocol/ids.ts";
import { UsageRow, usageCsv } from "../../protocol/usage.ts";
import { amountsByDay, axisTop, costsWords, groupsOf, sumOf } from "./usage-figures.ts";

const row = (day: string, extra: Partial<UsageRow> = {}) =>
  UsageRow.parse({
    ...{ day, sessionId: "builtin:a", projectId: "p", cliType: "builtin", turns: 1, tokens: 10, cost: 0.5 },
    ...{ currency: "USD", ...extra },
  });
const ROWS = [
  row("2026-01-01"),
  row("2026-01-03", { tokens: 5, cost: 2, currency: "EUR", account: "work" }),
  row("2026-01-03", { tokens: 7 }),
];

it("X-44 sums tokens, turns, distinct sessions and the costs of each currency", () => {
  expect(sumOf(ROWS)).toMatchObject({ tokens: 22, turns: 3, sessions: 1 });
  expect(costsWords(sumOf(ROWS))).toBe("€2.00 + $1.00");
  expect(costsWords(sumOf([]))).toBe("–");
});

it("X-44 a day without use is a zero, and amounts of another currency are not added", () => {
  const days = ["2026-01-01", "2026-01-02", "2026-01-03"];
  expect(amountsByDay(days, ROWS, "cost", "USD")).toEqual([0.5, 0, 0.5]);
  expect(amountsByDay(days, ROWS, "tokens", "USD")).toEqual([10, 0, 12]);
});

it("X-44 groups are sorted by their amount, the largest first", () => {
  expect(groupsOf(ROWS, ({ account = "" }) => account, "tokens", "USD").map(({ key }) => key)).toEqual(["", "work"]);
  expect(groupsOf(ROWS, ({ account = "" }) => account, "cost", "EUR").map(({ key }) => key)).toEqual(["work", ""]);
});

it.each([
  [0, 1],
  [0.3, 0.4],
  [7, 8],
  [14.2, 20],
  [41, 50],
  [1_000, 1_000],
] as const)("X-44 the axis of a plot up to %d ends at %d", (largest, top) => {
  expect(axisTop(largest)).toBeCloseTo(top);
});

it("X-44 the exported table quotes what has commas, and a cell that looks like a formula is harmless", () => {
  const csv = usageCsv([row("2026-01-01", { account: "=cmd|'/c calc'!A1" })], () => 'My "own", project');
  expect(csv).toBe(
    'day,agent,account,project,session,turns,tokens,cost,currency\r\n2026-01-01,builtin,\'=cmd|\'/c calc\'!A1,"My ""own"", project",builtin:a,1,10,0.5,USD\r\n',
  );
  expect(usageCsv([], (id) => ProjectId.parse(id))).toEndWith("currency\r\n");
});
