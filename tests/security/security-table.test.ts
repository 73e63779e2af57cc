import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Glob } from "bun";
import { parseSource, visit } from "../architecture/source-file.ts";
import { ROOT } from "../support/test-server.ts";

interface Row {
  readonly attack: string;
  readonly defences: readonly string[];
  readonly tests: readonly { readonly file: string; readonly name: string }[];
}

const ROWS_MIN = 60;

/** The rows whose last cell names tests. */
function tableRows(): readonly Row[] {
  const lines = readFileSync(join(ROOT, "docs/security.md"), "utf8").split("\n");
  return lines
    .filter((line) => line.startsWith("| ") && line.includes(" › "))
    .map((line) => {
      const [, attack = "", defence = "", tests = ""] = line.split(/(?<!\\) ?\| ?/);
      return {
        attack,
        defences: [...defence.matchAll(/`([^`]+)`/g)].map(([, file = ""]) => file),
        tests: tests.split("<br>").map((cell) => {
          const [, file = "", name = ""] = /^`([^`]+)` › (.+?)\s*$/.exec(cell) ?? [];
          return { file, name };
        }),
      };
    });
}

/** The names of a file's tests, as they are written; of one that is put together, its beginning. */
function testNames(path: string): string[] {
  const names: string[] = [];
  const source = parseSource(path, readFileSync(join(ROOT, path), "utf8"));
  visit(source, {
    CallExpression: ({ callee, arguments: [name, act] }) => {
      const isTest = /^(?:test|it)\b/.test(source.text.slice(callee.start));
      if (!isTest || act?.type !== "ArrowFunctionExpression") return;
      if (name?.type === "Literal" && typeof name.value === "string") names.push(name.value);
      if (name?.type === "TemplateLiteral") names.push(name.quasis[0]?.value.cooked ?? "");
    },
  });
  return names;
}

const unescaped = (code: string) => code.replaceAll('\\"', '"');

test("every defence and every test of the table is there", () => {
  const rows = tableRows();
  expect(rows.length).toBeGreaterThanOrEqual(ROWS_MIN);
  const missing = rows.flatMap(({ attack, defences, tests }) => [
    ...(defences.length === 0 ? [`${attack}: no defence`] : []),
    ...defences.filter((file) => !existsSync(join(ROOT, file))).map((file) => `${attack}: no file ${file}`),
    ...tests
      .filter(({ file, name }) => {
        if (name === "" || !existsSync(join(ROOT, file))) return true;
        return !unescaped(readFileSync(join(ROOT, file), "utf8")).includes(name);
      })
      .map(({ file, name }) => `${attack}: no test "${name}" in ${file}`),
  ]);
  expect(missing).toEqual([]);
});

test("every test in tests/security is in the table", () => {
  const named = tableRows().flatMap(({ tests }) => tests.map(({ file, name }) => `${file} › ${name}`));
  const files = [...new Glob("tests/security/*.test.ts").scanSync({ cwd: ROOT })].sort();
  const own = files.flatMap((file) => testNames(file).map((name) => `${file} › ${name}`));
  expect(own.length).toBeGreaterThanOrEqual(files.length);
  expect(own.filter((one) => !named.includes(one))).toEqual([]);
});
