import { expect, test } from "bun:test";
import { redactSecrets } from "../../src/lib/redact-secrets.ts";
import { matchesGlob } from "../../src/sessions/policy/path-glob.ts";
import { readShellLine } from "../../src/sessions/policy/shell-line.ts";
import { suspiciousText } from "../../src/sessions/policy/subject-oddity.ts";
import { fitsPattern } from "../../src/sessions/rules/validate-answer.ts";
import { parseSearch } from "../../src/store/search/sqlite-search-index.ts";

/** Each would take a matcher that backtracks longer than anyone lives, or at least longer than a test may. */
const CHARS = 50_000;

test.each([
  ["(a+)+$", "a"],
  ["^(a|a)*$", "a"],
  ["^(a|aa)+$", "a"],
  ["(.*a){25}", "b"],
  ["^(([a-z])+.)+[A-Z]([a-z])+$", "a"],
  ["(x+x+)+y", "x"],
])("W-9 an agent's pattern %s is tried in time that grows with the text", (pattern, letter) => {
  expect(fitsPattern(pattern, `${letter.repeat(CHARS)}!`)).toBe(false);
});

test.each([
  ["/**/a/**/a/**/a/**/x", "a/"],
  ["**/*a*/**/*a*/**/*x", "a/"],
  ["/*a*a*a*a*a*a*a*x", "a"],
  ["**a**a**a**a**a**x", "a"],
])(
  "X-4 the path of an agent's request is tried against the rule %s in time that grows with the path",
  (glob, piece) => {
    expect(matchesGlob(`/${piece.repeat(CHARS / piece.length)}`, glob, { ignoreCase: false })).toBe(false);
    expect(matchesGlob(`/${piece.repeat(CHARS / piece.length)}x`, glob, { ignoreCase: true })).toBe(true);
  },
);

test("X-14 secrets are taken out of the most tiresome line an agent can say, and out of what follows it", () => {
  const tiresome = [
    `"${"token".repeat(CHARS / 5)}" `,
    `"name":"${"key".repeat(CHARS / 3)}" `,
    `"token"${" ".repeat(CHARS)}`,
    `${'"'.repeat(CHARS)}`,
    `${'"token"'.repeat(CHARS / 7)}`,
    `Bearer${" ".repeat(CHARS)}`,
    `${'"token":"'.repeat(CHARS / 9)}`,
    `${'"token":\\n'.repeat(CHARS / 9)}`,
    `${'"name":"k","value":'.repeat(CHARS / 19)}`,
    `-----BEGIN ${"PRIVATE KEY ".repeat(CHARS / 12)}`,
    `${"-----BEGIN ".repeat(CHARS / 11)}`,
  ];
  for (const line of tiresome) {
    const redacted = redactSecrets(`${line}\n{"api_key":"hidden-1"} {"name":"Authorization","value":"hidden-2"}`);
    expect(redacted).not.toMatch(/hidden-[12]/);
  }
  const withoutEnd = `"token":"${'\\"'.repeat(CHARS / 2)}`;
  expect(redactSecrets(withoutEnd)).toBe('"token":"[redacted]"');
  const keys = "-----BEGIN PRIVATE KEY-----".repeat(CHARS / 27);
  expect(redactSecrets(`${keys}\nhidden-1`)).toBe("[redacted]");
});

test("X-4 a command line, a name and a search without end are read in time that grows with them", () => {
  const long = [" ", "\\", "'", '"', "$(", "`", "((", "&&", "a=", "<<", "{a,", "\u200b", "-", "\n"];
  for (const piece of long) {
    const text = piece.repeat(CHARS / piece.length);
    expect(readShellLine(text)).toBeDefined();
    suspiciousText(text);
    expect(parseSearch(text).substrings.length).toBeLessThanOrEqual(24);
  }
});
