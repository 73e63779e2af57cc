// Writes the manual of the commands: npm run man

import { join } from "node:path";
import packageJson from "../../package.json" with { type: "json" };
import { COMMANDS } from "../../src/cli/command-table.ts";
import { manPage } from "../../src/cli/man-page.ts";
import { ROOT } from "./test-server.ts";

export const MAN_FILE = join(ROOT, "docs/liminal.1");

export function currentManPage(): string {
  return manPage(COMMANDS, packageJson.version);
}

if (import.meta.main) await Bun.write(MAN_FILE, currentManPage());
