import { expect, it } from "bun:test";
import { mkdirSync } from "node:fs";
import { tempDir } from "../../tests/support/temp-dir.ts";
import { NewerDatabaseError } from "../store/database/open-database.ts";
import { ConfigError } from "./config.ts";
import { makePrivate } from "./data-dir.ts";
import { explainStartFailure } from "./explain-start-failure.ts";
import { AlreadyRunningError } from "./instance-lock.ts";

function failed(code: string): Error {
  return Object.assign(new Error(`failed with ${code}`), { code });
}

it("a problem the user can fix is reported in its own words, without a stack", () => {
  for (const error of [new ConfigError("wrong"), new AlreadyRunningError("in use"), new NewerDatabaseError("/x.db", 9)])
    expect(explainStartFailure(error)).toBe(error.message);
});

it("a taken port comes with advice", () => {
  expect(explainStartFailure(failed("EADDRINUSE"))).toMatch(/port is in use.*LIMINAL_PORT=/);
});

it.each(["ENOSPC", "EROFS", "EIO"])("%s reports the problem with the disk, with advice", (code) => {
  expect(explainStartFailure(failed(code))).toMatch(new RegExp(`LIMINAL_DATA_DIR.*\\(failed with ${code}\\).*restart`));
});

it.each(["EACCES", "EPERM"])("%s names what cannot be written or bound", (code) => {
  expect(explainStartFailure(failed(code))).toMatch(
    new RegExp(`Permission denied \\(failed with ${code}\\).*LIMINAL_DATA_DIR`),
  );
});

it("a bug of ours keeps its stack, and anything else its message", () => {
  const fault = new TypeError("oops");
  expect(explainStartFailure(fault)).toBe(fault.stack ?? "");
  expect(explainStartFailure("just words")).toBe("just words");
});

it("a directory in the place of the database is reported (S15)", async () => {
  await using dir = await tempDir();
  mkdirSync(dir.join("liminal.db"));
  const words = (() => {
    try {
      return makePrivate(dir.join("liminal.db"));
    } catch (error) {
      return explainStartFailure(error);
    }
  })();
  expect(words).toMatch(/^Found a directory instead of a file \(.*liminal\.db.*\)\. Move it/);
  expect(words).not.toContain("\n");
});
