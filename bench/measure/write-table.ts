import type { Result } from "./result.ts";

const HEAD = ["bench", "metric", "value", "baseline", "ratio", "target", "met", "n"] as const;
const LEFT_ALIGNED = 2;

/** The results as a table. */
export function writeTable(results: readonly Result[]): string {
  const rows = [HEAD, ...results.map(cellsOf)];
  const widths = HEAD.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) => row.map((cell, column) => padded(cell, widths[column] ?? 0, column)).join("  ")).join("\n");
}

function cellsOf({
  bench,
  metric,
  unit,
  value,
  baseline,
  ratio,
  target,
  ratioTarget,
  met,
  n,
}: Result): readonly string[] {
  return [
    bench,
    metric,
    `${shown(value)} ${unit}`,
    baseline === undefined ? "" : shown(baseline),
    ratio === undefined ? "" : `${ratio.toFixed(2)}x`,
    [target === undefined ? [] : shown(target), ratioTarget === undefined ? [] : `${ratioTarget.toFixed(2)}x`]
      .flat()
      .map((most) => `<= ${most}`)
      .join(", "),
    met === undefined ? "" : met ? "yes" : "NO",
    String(n),
  ];
}

function padded(cell: string, width: number, column: number): string {
  return column < LEFT_ALIGNED ? cell.padEnd(width) : cell.padStart(width);
}

function shown(value: number): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}
