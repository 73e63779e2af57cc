import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { ROOT } from "../support/test-server.ts";

/** One kind of message of an agent, as docs/acp-coverage.md has it. */
export interface CoverageRow {
  /** The schema's name for the family of kinds. */
  readonly family: string;
  readonly kind: string;
  /** A selector, `answered`, or the reason why the kind is not displayed. */
  readonly seen: { readonly how: "selector" | "answered" | "elsewhere"; readonly text: string };
  readonly tests: readonly string[];
}

export function coverageRows(): CoverageRow[] {
  const markdown = readFileSync(join(ROOT, "docs/acp-coverage.md"), "utf8");
  let family = "";
  return markdown.split("\n").flatMap((line) => {
    family = /^## .*`([^`]+)`$/.exec(line)?.[1] ?? family;
    const cells = line.split(" | ").map((cell) => cell.replace(/^\| | \|$/g, "").trim());
    const kind = /^`([^`]+)`$/.exec(cells[0] ?? "")?.[1];
    if (!line.startsWith("| ") || kind === undefined) return [];
    return [{ family, kind, seen: seenOf(cells[3] ?? ""), tests: codesIn(cells[4] ?? "") }];
  });
}

function seenOf(cell: string): CoverageRow["seen"] {
  const [code] = codesIn(cell);
  if (code === undefined || !cell.startsWith("`")) return { how: "elsewhere", text: cell };
  return code === "answered" ? { how: "answered", text: "" } : { how: "selector", text: code };
}

function codesIn(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].flatMap(([, code]) => code ?? []);
}

/** Other parts of the schema have numbers there. */
const Mark = z.union([z.string(), z.number()]).transform(String);
const Alternative = z.looseObject({
  const: Mark.optional(),
  title: z.string().optional(),
  properties: z.record(z.string(), z.looseObject({ const: Mark.optional() })).optional(),
});
const Definition = z.looseObject({
  oneOf: z.array(Alternative).optional(),
  anyOf: z.array(Alternative).optional(),
  "x-side": z.string().optional(),
  "x-method": z.string().optional(),
});
const Schema = z.object({ $defs: z.record(z.string(), Definition) });

/** The kinds of a family, as the SDK's own schema lists them: a new version's new kinds are here by themselves. */
export function schemaKinds(family: string): string[] {
  const path = Bun.resolveSync("@agentclientprotocol/sdk/schema/v1/schema.json", ROOT);
  const { $defs } = Schema.parse(JSON.parse(readFileSync(path, "utf8")));
  if (family === "x-method") {
    const asked = Object.values($defs).filter((each) => each["x-side"] === "client" || each["x-side"] === "protocol");
    return [...new Set(asked.flatMap((each) => each["x-method"] ?? []))];
  }
  const definition = $defs[family];
  return (definition?.oneOf ?? definition?.anyOf ?? []).flatMap((each) => {
    const marks = Object.values(each.properties ?? {}).flatMap((property) => property.const ?? []);
    return marks[0] ?? each.const ?? each.title ?? [];
  });
}
