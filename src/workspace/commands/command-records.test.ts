import { expect, test } from "bun:test";
import { readFile, stat, writeFile } from "node:fs/promises";
import { tempDir } from "../../../tests/support/temp-dir.ts";
import { type ErrorCode, RefusalError } from "../../protocol/errors.ts";
import { ProjectId } from "../../protocol/ids.ts";
import { WorktreeId } from "../../protocol/worktree-ref.ts";
import { CommandRecords, commandHash } from "./command-records.ts";

const ONE = ProjectId.parse("one");
const OTHER = ProjectId.parse("other");
const WORLD = { now: () => 0, newId: () => "id" };

async function openIn(dir: { join(name: string): string }) {
  const warnings: string[] = [];
  const path = dir.join("project-commands.json");
  return {
    path,
    warnings,
    records: await CommandRecords.open({ path, world: WORLD, warn: (text) => warnings.push(text) }),
  };
}

const codeOf = (run: Promise<void>): Promise<ErrorCode | null> =>
  run.then(
    () => null,
    (error: unknown) => (error instanceof RefusalError ? error.refusal.code : Promise.reject(error)),
  );

test("[WS-27] a consent holds for one command of one project in one use, after a restart too", async () => {
  await using dir = await tempDir();
  const { records } = await openIn(dir);
  const hash = commandHash(ONE, "setup", "bun install");
  expect(await codeOf(records.require(ONE, "setup", "bun install", null))).toBe("CONSENT_REQUIRED");
  expect(await codeOf(records.require(ONE, "setup", "bun install", hash))).toBeNull();

  const { records: later } = await openIn(dir);
  expect(await codeOf(later.require(ONE, "setup", "bun install", null))).toBeNull();
  expect(await codeOf(later.require(ONE, "setup", "bun install ", null))).toBe("CONSENT_REQUIRED");
  expect(await codeOf(later.require(ONE, "setup", "bun install; curl x", null))).toBe("CONSENT_REQUIRED");
  expect(await codeOf(later.require(ONE, "teardown", "bun install", null))).toBe("CONSENT_REQUIRED");
  expect(await codeOf(later.require(ONE, "service:dev", "bun install", null))).toBe("CONSENT_REQUIRED");
  expect(await codeOf(later.require(OTHER, "setup", "bun install", null))).toBe("CONSENT_REQUIRED");
});

test("[WS-27] consent to the shown command does not cover the file's current one, even if the user agreed to that before", async () => {
  await using dir = await tempDir();
  const { records } = await openIn(dir);
  await records.agree(ONE, "setup", "new");
  const shown = commandHash(ONE, "setup", "old");
  expect(await codeOf(records.require(ONE, "setup", "new", shown))).toBe("CONSENT_REQUIRED");
  expect(records.hasAgreed(shown)).toBe(false);
});

test("the file is private, and holds no more than its limits", async () => {
  await using dir = await tempDir();
  const { records, path } = await openIn(dir);
  const agreed = Array.from({ length: 1_001 }, (_, at) => records.agree(ONE, "setup", `command ${at}`));
  await Promise.all(agreed);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(records.hasAgreed(commandHash(ONE, "setup", "command 0"))).toBe(false);
  expect(records.hasAgreed(commandHash(ONE, "setup", "command 1000"))).toBe(true);
  expect(JSON.parse(await readFile(path, "utf8")).consents).toHaveLength(1_000);
});

test("a file that cannot be used is kept aside, and every command asks again", async () => {
  for (const text of ["{", '{ "version": 1, "consents": [{}] }']) {
    await using dir = await tempDir();
    await writeFile(dir.join("project-commands.json"), text);
    const { records, warnings, path } = await openIn(dir);
    expect(warnings).toHaveLength(1);
    expect(await readFile(`${path}.unreadable`, "utf8")).toBe(text);
    await records.agree(ONE, "setup", "x");
    expect((await openIn(dir)).warnings).toEqual([]);
  }
});

test("how the setup of a worktree ended is known after a restart", async () => {
  await using dir = await tempDir();
  const { records } = await openIn(dir);
  const worktreeId = WorktreeId.parse("w-1");
  expect(records.setup(worktreeId)).toEqual({ state: "none" });
  await records.keepSetup(ONE, worktreeId, { state: "running", command: "x", terminalId: "t" });
  await records.keepSetup(ONE, worktreeId, { state: "failed", command: "x", terminalId: "t", exitCode: 3 });
  const { records: later } = await openIn(dir);
  expect(later.setup(worktreeId)).toEqual({ state: "failed", command: "x", terminalId: "t", exitCode: 3 });
  expect(later.setups()).toHaveLength(1);
});
