import { expect, test } from "bun:test";
import { Glob } from "bun";
import { SCENARIOS } from "../../builtin-agent/scenarios/catalog.ts";

test("every way in which the built-in agent can misbehave is played by one of these tests", async () => {
  const files = [...new Glob("*.test.ts").scanSync({ cwd: import.meta.dirname, absolute: true })];
  const texts = (await Promise.all(files.map((file) => Bun.file(file).text()))).join("\n");
  const unplayed = SCENARIOS.map(({ name }) => name).filter((name) => !new RegExp(`["\\s]${name}"`).test(texts));
  expect(unplayed).toEqual([]);
});
