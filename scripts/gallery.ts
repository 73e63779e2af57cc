// Takes pictures of every state of the page in both themes and three widths: npm run gallery -- [--to <folder>] [--only <state>]...
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: { to: { type: "string" }, only: { type: "string", multiple: true, default: [] } },
});
const root = resolve(import.meta.dirname, "..");
const build = Bun.spawnSync([process.execPath, join(root, "scripts/build-page.ts")], { stdio: ["ignore", 1, 2] });
if (!build.success) process.exit(1);
const folder = resolve(values.to ?? (await mkdtemp(join(tmpdir(), "liminal-gallery-"))));
const photographer = fileURLToPath(import.meta.resolve("../tests/gallery/take-pictures.ts"));
const pictures = Bun.spawn([process.execPath, photographer, folder, ...values.only], {
  cwd: root,
  stdio: ["ignore", "inherit", "inherit"],
});
process.exitCode = await pictures.exited;
