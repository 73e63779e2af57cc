import type { DiffFold, DiffLine } from "../../presentation/line-diff.ts";

/** One row of a diff side by side: an old line, a new one, or both. */
export interface SplitRow {
  readonly kind: "pair";
  readonly before: DiffLine | null;
  readonly after: DiffLine | null;
}

/** A diff side by side: what was put in stands beside what was taken out for it. */
export function splitRows(rows: readonly (DiffLine | DiffFold)[]): (SplitRow | DiffFold)[] {
  const split: (SplitRow | DiffFold)[] = [];
  let removed: DiffLine[] = [];
  let added: DiffLine[] = [];
  const flush = () => {
    for (let at = 0; at < Math.max(removed.length, added.length); at += 1)
      split.push({ kind: "pair", before: removed[at] ?? null, after: added[at] ?? null });
    removed = [];
    added = [];
  };
  for (const row of rows) {
    if (row.kind === "added") added.push(row);
    else if (row.kind === "removed") {
      if (added.length > 0) flush();
      removed.push(row);
    } else {
      flush();
      split.push(row.kind === "fold" ? row : { kind: "pair", before: row, after: row });
    }
  }
  flush();
  return split;
}
