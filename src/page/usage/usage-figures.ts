import type { UsageRow } from "../../protocol/usage.ts";
import { costWords } from "../../ui/words/cost-words.ts";

export type Measure = "cost" | "tokens";

/** The totals of some rows. */
export interface Sum {
  readonly tokens: number;
  readonly turns: number;
  readonly sessions: number;
  /** By currency, the largest first. */
  readonly costs: ReadonlyMap<string, number>;
}

export interface Group extends Sum {
  readonly key: string;
  readonly rows: readonly UsageRow[];
}

export function sumOf(rows: readonly UsageRow[]): Sum {
  const costs = new Map<string, number>();
  for (const { cost, currency = "" } of rows) if (cost > 0) costs.set(currency, (costs.get(currency) ?? 0) + cost);
  return {
    tokens: rows.reduce((sum, row) => sum + row.tokens, 0),
    turns: rows.reduce((sum, row) => sum + row.turns, 0),
    sessions: new Set(rows.map(({ sessionId }) => sessionId)).size,
    costs: new Map([...costs].sort(([, one], [, other]) => other - one)),
  };
}

/** Totals by the result of `keyOf`, the largest first. */
export function groupsOf(
  rows: readonly UsageRow[],
  keyOf: (row: UsageRow) => string,
  measure: Measure,
  currency: string,
): readonly Group[] {
  return [...Map.groupBy(rows, keyOf)]
    .map(([key, own]) => ({ key, rows: own, ...sumOf(own) }))
    .sort(
      (one, other) =>
        amountOf(other.rows, measure, currency) - amountOf(one.rows, measure, currency) || other.tokens - one.tokens,
    );
}

/** What is drawn: tokens, or the amount in one currency, as amounts in two cannot be added. */
export function amountOf(rows: readonly UsageRow[], measure: Measure, currency: string): number {
  if (measure === "tokens") return rows.reduce((sum, { tokens }) => sum + tokens, 0);
  return rows.reduce((sum, row) => sum + ((row.currency ?? "") === currency ? row.cost : 0), 0);
}

export function amountsByDay(
  days: readonly string[],
  rows: readonly UsageRow[],
  measure: Measure,
  currency: string,
): readonly number[] {
  const byDay = Map.groupBy(rows, ({ day }) => day);
  return days.map((day) => amountOf(byDay.get(day) ?? [], measure, currency));
}

const COMPACT = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

export function tokenWords(tokens: number): string {
  return COMPACT.format(tokens);
}

/** "$1.20 + €0.30"; a dash where no agent named a cost. */
export function costsWords({ costs }: Pick<Sum, "costs">): string {
  if (costs.size === 0) return "–";
  return [...costs].map(([currency, amount]) => costWords({ amount, currency })).join(" + ");
}

export function amountWords(amount: number, measure: Measure, currency: string): string {
  return measure === "tokens" ? tokenWords(amount) : costWords({ amount, currency });
}

/** The next round number above the largest, so that the marks of the axis are round. */
export function axisTop(largest: number): number {
  if (largest <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(largest));
  const step = [1, 2, 4, 5, 8, 10].find((one) => one * power >= largest) ?? 10;
  return step * power;
}
