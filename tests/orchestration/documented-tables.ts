import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../support/test-server.ts";

const DOCS = readFileSync(join(ROOT, "docs/orchestration.md"), "utf8");

/** What stands in code signs in the first column of the table below a heading, row by row. */
function firstColumn(heading: string): string[] {
  const section = DOCS.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? "";
  const rows = section.split("\n").filter((line) => line.startsWith("| `"));
  return rows.flatMap((row) => [...(row.split(" | ")[0] ?? "").matchAll(/`([^`]+)`/g)].map(([, text = ""]) => text));
}

/** The tools of the docs, by name. */
export const DOCUMENTED_TOOLS = firstColumn("Tools")
  .map((text) => text.split(" ")[0] ?? "")
  .filter((name) => name.includes("_"));

/** The errors of the docs, as they are written there. */
export const DOCUMENTED_ERRORS = firstColumn("Errors");

/** Whether a text is what the docs say, where … stands for anything. */
export function matchesDocumented(text: string, documented: string): boolean {
  const parts = documented.split("…").map((part) => part.trim().replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join("[^]*")}`).test(text);
}
