// Loaded into the server before its own code: how late its event loop is. To read it, write a file "ask" into the
// directory that LOOP_PROBE names; the delays since the last time are then in "delays.json".
import { existsSync, renameSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const EVERY_MS = 5;
const LOOK_EVERY = 20;
const directory = process.env["LOOP_PROBE"] ?? ".";
let delaysMs: number[] = [];
let count = 0;

function sample(dueMs: number): void {
  delaysMs.push(Math.max(0, performance.now() - dueMs));
  count += 1;
  if (count % LOOK_EVERY === 0 && existsSync(join(directory, "ask"))) answer();
  setTimeout(sample, EVERY_MS, performance.now() + EVERY_MS).unref();
}

function answer(): void {
  unlinkSync(join(directory, "ask"));
  writeFileSync(join(directory, "delays.new"), JSON.stringify(delaysMs));
  renameSync(join(directory, "delays.new"), join(directory, "delays.json"));
  delaysMs = [];
}

setTimeout(sample, EVERY_MS, performance.now() + EVERY_MS).unref();
