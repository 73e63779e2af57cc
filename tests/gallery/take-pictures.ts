// Takes a picture of every state of the page: started by scripts/gallery.ts with the folder and names of states.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { launchChromium } from "../support/chromium.ts";
import { GALLERY_STATES } from "./gallery-states.ts";
import { pictureState } from "./picture-state.ts";
import { galleryIndex, type Picture } from "./write-index.ts";

const [folder = "", ...wanted] = process.argv.slice(2);
const names = GALLERY_STATES.map(({ name }) => name);
const unknown = wanted.filter((name) => !names.includes(name));
if (unknown.length > 0) {
  console.error(`There is no state ${unknown.join(", ")}. The states are:\n${names.toSorted().join("\n")}`);
  process.exit(1);
}
await mkdir(folder, { recursive: true });
await using browser = await launchChromium();
const pictures: Picture[] = [];
const failed: string[] = [];
for (const state of GALLERY_STATES) {
  if (wanted.length > 0 && !wanted.includes(state.name)) continue;
  if (typeof state.absentBecause === "string") {
    console.log(`left out  ${state.name}: ${state.absentBecause}`);
    continue;
  }
  try {
    pictures.push(...(await pictureState(browser, state, folder)));
    console.log(`ok    ${state.name}`);
  } catch (error) {
    failed.push(state.name);
    console.log(`FAIL  ${state.name}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
await writeFile(join(folder, "index.html"), galleryIndex(pictures));
console.log(`${pictures.length} pictures: ${join(folder, "index.html")}`);
if (failed.length > 0) console.log(`Not reached: ${failed.join(", ")}`);
process.exitCode = failed.length === 0 ? 0 : 1;
