import { expect, test } from "bun:test";
import { finishedSentences } from "./live-speaker.ts";

const CLOCK_STEP_US = 4_000;

/** Announces a text that arrives in pieces of the given size. */
function speak(text: string, size: number): string[] {
  const said: string[] = [];
  let length = 0;
  for (let end = size; end < text.length + size; end += size) {
    const spoken = finishedSentences(text.slice(0, end), length, end >= text.length);
    length = spoken.length;
    if (spoken.words !== "") said.push(spoken.words);
  }
  return said;
}

test("only whole sentences are announced, however the text arrives", () => {
  const text = "First one. Is there a second? Yes, version 1.4 is here.\n\nAnd the last";
  for (const size of [1, 3, 7, 200]) {
    expect(speak(text, size).join(" ")).toBe("First one. Is there a second? Yes, version 1.4 is here. And the last");
  }
  expect(speak(text, 1)).toEqual(["First one.", "Is there a second?", "Yes, version 1.4 is here.", "And the last"]);
});

test("Markdown marks are not announced, nor is code, not even while it arrives", () => {
  const text = "Run **this** now:\n\n```ts\nconst a = 1. b\n```\n\nIt is [documented](https://example.com/x). Done";
  for (const size of [1, 4, 500]) expect(speak(text, size).join(" ")).toBe("Run this now: It is documented. Done");
});

test("X-15 names in code and tables are read as they are meant (D9)", () => {
  const speech = (text: string) => finishedSentences(text, 0, true).words;
  expect(speech("Delete `node_modules` and `a*b_c`, not _this_ or **that**.")).toBe(
    "Delete node_modules and a*b_c, not this or that.",
  );
  expect(speech("The my_long_name of C# is 3 > 2.")).toBe("The my_long_name of C# is 3 > 2.");
  expect(speech("# Title\n\n> quoted\n- item")).toBe("Title quoted item");
  expect(speech("| Name | Size |\n|---|:-:|\n| a.ts | 3 |\n| `b_c.ts` | |")).toBe("Name, Size. a.ts, 3. b_c.ts.");
});

/** Texts whose every position may start something that scans to the end. */
const HOSTILE: readonly string[] = [
  "\n",
  "\n\n",
  " \n",
  "\r",
  "\t",
  " ",
  "[",
  "![",
  "[a](",
  "](",
  ".)",
  ".",
  "- ",
  "-",
  "```",
  "``` ",
  "*",
  "|",
];

test.each(HOSTILE.map((unit) => [JSON.stringify(unit), unit]))(
  "(S9) the work for many %s grows no faster than the text",
  (_, unit) => {
    const work = (chars: number) => {
      const text = unit.repeat(Math.ceil(chars / unit.length));
      const times = Array.from({ length: 3 }, () => {
        const before = process.threadCpuUsage();
        finishedSentences(text, 0, false);
        finishedSentences(text, 0, true);
        const { user, system } = process.threadCpuUsage(before);
        return user + system;
      });
      return Math.min(...times);
    };
    // Eight times the text: eight times the work is linear, 64 times would be quadratic. The clock moves in steps.
    expect(work(200_000)).toBeLessThan(24 * (work(25_000) + CLOCK_STEP_US));
  },
);
