import { expect, test } from "bun:test";
import { stat, utimes } from "node:fs/promises";
import type { TempDir } from "../support/temp-dir.ts";
import { runLauncher } from "./run-launcher.ts";
import { SAMPLE_PAGE, samplePackage, writeTree } from "./sample-package.ts";

const SERVES = 'console.log("serving", await Bun.file("dist/manifest.json").exists());';

async function manifestIdentity(dir: TempDir): Promise<string> {
  const { ino, mtimeMs } = await stat(dir.join("dist/manifest.json"));
  return `${ino} ${mtimeMs}`;
}

test("serve builds the page before the server starts, and again only when a source changed", async () => {
  await using dir = await samplePackage(SERVES);
  await writeTree(dir.path, SAMPLE_PAGE);

  const first = await runLauncher(dir, ["serve"]);
  expect(first).toEqual({ code: 0, stdout: "serving true\n", stderr: expect.stringMatching(/^page: 14 files, .*\n$/) });
  const built = await manifestIdentity(dir);

  const inAnHour = Date.now() / 1_000 + 3_600;
  await utimes(dir.join("src/ui/greet.ts"), inAnHour, inAnHour);
  await writeTree(dir.path, { "src/ui/greet.test.ts": "a test is no part of the page" });
  expect((await runLauncher(dir, ["serve"])).stdout).toBe("serving true\n");
  expect(await manifestIdentity(dir)).toBe(built);

  await writeTree(dir.path, { "src/protocol/version.ts": "export const VERSION = 2;" });
  expect((await runLauncher(dir, [])).stderr).toMatch(/^page: /);
  expect(await manifestIdentity(dir)).not.toBe(built);
});

test("other commands do not wait for a build", async () => {
  await using dir = await samplePackage(SERVES);
  await writeTree(dir.path, SAMPLE_PAGE);
  expect((await runLauncher(dir, ["ls"])).stdout).toBe("serving false\n");
});

test("a page that does not build stops the start and names the place", async () => {
  await using dir = await samplePackage(SERVES);
  await writeTree(dir.path, { ...SAMPLE_PAGE, "src/ui/greet.ts": "export const = ;" });
  const { code, stdout, stderr } = await runLauncher(dir, ["serve"]);
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toContain("src/ui/greet.ts:1:14");
});
