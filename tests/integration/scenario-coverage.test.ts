import { expect, test } from "bun:test";
import { resolve } from "node:path";
import { Glob } from "bun";
import { SCENARIOS } from "../../builtin-agent/scenarios/catalog.ts";

test("every way in which the built-in agent can misbehave is played by one of these tests", async () => {
  const cwd = resolve(import.meta.dirname, "..");
  const files = [...new Glob("{integration,conformance}/*.test.ts").scanSync({ cwd, absolute: true })];
  const texts = (await Promise.all(files.map((file) => Bun.file(file).text()))).join("\n");
  const unplayed = SCENARIOS.map(({ name }) => name).filter((name) => !new RegExp(`["\\s]${name}"`).test(texts));
  expect(unplayed).toEqual([]);
});
