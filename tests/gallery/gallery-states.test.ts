import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { Glob } from "bun";
import { GALLERY_STATES } from "./gallery-states.ts";

test("X-15 every state has a name of its own", () => {
  const names = GALLERY_STATES.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});

test("X-15 every list of states is looked at for accessibility", () => {
  const lists = [...new Glob("*-states.ts").scanSync(import.meta.dirname)].filter(
    (file) => !file.startsWith("gallery-"),
  );
  const untested = lists.filter(
    (file) => !existsSync(join(import.meta.dirname, file.replace(/\.ts$/, ".browser.test.ts"))),
  );
  expect(lists.length).toBeGreaterThan(0);
  expect(untested).toEqual([]);
});
