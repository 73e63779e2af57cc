import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseJson } from "../lib/parse-json.ts";
import { TerminalInfo } from "../protocol/terminals.ts";

/** The terminals of a data directory that a holder has, with or without a server. */
export function heldTerminals(dataDir: string): readonly TerminalInfo[] {
  const dir = join(dataDir, "terminals");
  if (!existsSync(dir)) return [];
  return readdirSync(dir).flatMap((name) => {
    if (!existsSync(join(dir, name, "socket"))) return [];
    const info = TerminalInfo.safeParse(parseJson(readIfThere(join(dir, name, "terminal.json")))).data;
    return info ? [info] : [];
  });
}

/** One that is closed during the check is gone. */
function readIfThere(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error) return "";
    throw error;
  }
}
