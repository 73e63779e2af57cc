// Records the film of the README: npm run film [-- --to <file> --frames <folder>]
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const { values } = parseArgs({ options: { to: { type: "string" }, frames: { type: "string" } } });
const root = resolve(import.meta.dirname, "..");
const build = Bun.spawnSync([process.execPath, join(root, "scripts/build-page.ts"), "--only-current"], {
  stdio: ["ignore", 1, 2],
});
if (!build.success) process.exit(1);
const film = resolve(values.to ?? join(root, "docs/images/film.webp"));
const recorder = fileURLToPath(import.meta.resolve("../tests/film/record-film.ts"));
const frames = values.frames === undefined ? [] : [resolve(values.frames)];
const recording = Bun.spawn([process.execPath, recorder, film, ...frames], {
  cwd: root,
  stdio: ["ignore", "inherit", "inherit"],
});
process.exitCode = await recording.exited;
