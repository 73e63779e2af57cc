// Records the film of the README: started by scripts/film.ts with the file to write, and a folder for single pictures.
import { mkdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openApp } from "../e2e/app-page.ts";
import { modelEnv } from "../orchestrator/model-env.ts";
import { launchChromium } from "../support/chromium.ts";
import { startTestServer } from "../support/test-server.ts";
import { git, write } from "../workspace/git-scene.ts";
import { drawFilm, PICTURE, SCALE } from "./draw-film.ts";
import { FILES, startFilmModel } from "./film-model.ts";
import { playStory } from "./play-story.ts";
import { readAnimatedWebp } from "./write-webp.ts";

const PROJECT = "atlas-api";

const [film = "", folder] = process.argv.slice(2);
await using model = startFilmModel();
// Its path is in the picture: the same every time. Another film that is being recorded has it, so this one ends here.
const home = join(tmpdir(), "ada");
await mkdir(home);
await using _home = { [Symbol.asyncDispose]: () => rm(home, { recursive: true, force: true }) };
await using server = await startTestServer({ env: { ...modelEnv(model), LIMINAL_MODEL: "your-model", HOME: home } });
const root = join(home, PROJECT);
await mkdir(root);
git(root, "init", "-q", "-b", "main");
git(root, "config", "user.name", "Ada");
git(root, "config", "user.email", "ada@example.org");
await write(root, FILES);
git(root, "add", "-A");
git(root, "commit", "-qm", "first");
await using browser = await launchChromium();
await using app = await openApp(browser, server, { viewport: PICTURE, theme: "light", deviceScaleFactor: SCALE });
const frames = await playStory(app, model, PROJECT);
if (folder !== undefined) {
  await mkdir(folder, { recursive: true });
  for (const [at, { png }] of frames.entries())
    await writeFile(join(folder, `${String(at).padStart(3, "0")}.png`), png);
}
const drawn = await drawFilm(browser, frames);
await writeFile(film, drawn);
const { frames: shown, totalMs } = readAnimatedWebp(drawn);
console.log(`${film}: ${shown} pictures, ${totalMs / 1_000} s, ${Math.round(drawn.length / 1_000)} kB`);
