import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

/** Where the program lies: the page, the built-in agent and its own description are beside the source. */
export const PROGRAM_DIR = join(import.meta.dir, "../..");

export const VERSION = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(join(PROGRAM_DIR, "package.json"), "utf8"))).version;
