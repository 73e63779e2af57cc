import { expect, test } from "bun:test";
import { parseSync } from "oxc-parser";
import { tempDir } from "../support/temp-dir.ts";
import { mutantsOf, mutated } from "./mutants.ts";
import { runBunTest } from "./run-bun-test.ts";

const PATH = "src/limit.ts";
const TEXT = `import { log } from "./log.ts";
type Size = 1 | 2;
const MAX: number = 10;

export function isOver(size: number, isStrict = false): boolean {
  log("é");
  if (isStrict && size >= MAX) return true;
  return [size].some((one) => one > MAX) || !Number.isFinite(size ?? 0);
}
`;

test("each kind of change is made once in each place, and types are left alone", () => {
  const made = mutantsOf(PATH, TEXT).map(({ line, kind, start, end, replacement }) => [
    line,
    kind,
    TEXT.slice(start, end),
    replacement,
  ]);
  expect(made).toEqual([
    [3, "number", "10", "11"],
    [5, "boolean", "false", "true"],
    [5, "empty function", TEXT.slice(TEXT.indexOf("{\n  log"), -1), "{ return; }"],
    [6, "remove statement", 'log("é");', ";"],
    [7, "negate condition", "isStrict && size >= MAX", "!(isStrict && size >= MAX)"],
    [7, "operator", "isStrict && size >= MAX", "isStrict || size >= MAX"],
    [7, "operator", "size >= MAX", "size > MAX"],
    [7, "return nothing", "return true;", "return;"],
    [7, "boolean", "true", "false"],
    [8, "return nothing", TEXT.slice(TEXT.indexOf("return [size]"), TEXT.lastIndexOf("\n}")), "return;"],
    [
      8,
      "operator",
      "[size].some((one) => one > MAX) || !Number.isFinite(size ?? 0)",
      "[size].some((one) => one > MAX) && !Number.isFinite(size ?? 0)",
    ],
    [8, "method", "some", "every"],
    [8, "operator", "one > MAX", "one >= MAX"],
    [8, "drop not", "!Number.isFinite(size ?? 0)", "Number.isFinite(size ?? 0)"],
    [8, "drop fallback", "size ?? 0", "size"],
    [8, "number", "0", "1"],
  ]);
});

test("every mutant is a program", () => {
  for (const mutant of mutantsOf(PATH, TEXT))
    expect({ mutant, errors: parseSync(PATH, mutated(TEXT, mutant)).errors }).toEqual({ mutant, errors: [] });
});

test("a mutant is killed by a test that notices it and survives one that does not; the file stays as it is", async () => {
  await using dir = await tempDir();
  const text = "export const isOver = (size: number) => size > 10;\n";
  const says = (
    size: number,
    is: boolean,
  ) => `import { expect, test } from "bun:test"; import { isOver } from "./over.ts";
    test("says", () => expect(isOver(${size})).toBe(${is}));`;
  await Bun.write(dir.join("over.ts"), text);
  await Bun.write(dir.join("good.test.ts"), says(10, false));
  await Bun.write(dir.join("blind.test.ts"), says(99, true));
  const operator = mutantsOf("over.ts", text).find(({ kind }) => kind === "operator");
  if (!operator) throw new Error("there is no such mutant");
  const mutant = { path: "over.ts", text: mutated(text, operator) };
  const outcomeOf = async (test: string) => {
    await using run = await runBunTest({ root: dir.path, tests: [test], timeoutMs: 60_000, mutant });
    return run.outcome;
  };
  expect(await outcomeOf("good.test.ts")).toBe("failed");
  expect(await outcomeOf("blind.test.ts")).toBe("passed");
  expect(await Bun.file(dir.join("over.ts")).text()).toBe(text);
});
