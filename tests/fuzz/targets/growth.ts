import { z } from "zod";
import { translateUpdate } from "../../../src/agents/acp/translate/translate-update.ts";
import { tokenAt } from "../../../src/frame/composer/completion-popup.tsx";
import { plainOutput } from "../../../src/presentation/entry-words.ts";
import { checkAnswer } from "../../../src/protocol/check-answer.ts";
import { evaluatePolicy } from "../../../src/sessions/policy/evaluate-policy.ts";
import { matchesGlob } from "../../../src/sessions/policy/path-glob.ts";
import { describeRequest } from "../../../src/sessions/policy/permission-subject.ts";
import { readShellLine } from "../../../src/sessions/policy/shell-line.ts";
import { fitsPattern } from "../../../src/sessions/rules/validate-answer.ts";
import { PageWriting } from "../../../src/sessions/transfer/export/html-code.ts";
import { htmlProse } from "../../../src/sessions/transfer/export/html-prose.ts";
import { parseSearch } from "../../../src/store/search/sqlite-search-index.ts";
import { resolveLinkTarget } from "../../../src/ui/markdown/link-target.ts";
import { parseMarkdown } from "../../../src/ui/markdown/parse-blocks.ts";
import { ansiSpans } from "../../../src/ui/output/ansi-spans.ts";
import { rule } from "../engine/broken-rule.ts";
import { fuzzTarget } from "../engine/fuzz-target.ts";
import { someText } from "../engine/mutate-text.ts";
import { COMMAND_WORDS, ROOT, RULES, scoped, someFacts } from "./policy-words.ts";

const FENCED = "```";
const READERS = {
  markdown: (text) => parseMarkdown(text),
  "exported prose": (text) => htmlProse(text, new PageWriting("", Date.now)),
  "terminal text": (text) => ansiSpans(text),
  "exported output": (text) => plainOutput(text),
  "shell line": (text) => readShellLine(text),
  policy: (command) => {
    const tool = { toolCallId: "c", name: "Run", kind: "execute", input: { command } };
    const rules = scoped(RULES.filter(({ kind }) => kind === undefined));
    evaluatePolicy(describeRequest(tool, ROOT), { mode: "ask", modeFrom: "session", rules }, someFacts());
  },
  "path pattern": (text) => matchesGlob(text, `${text.slice(0, 300)}/x`, { ignoreCase: true }),
  "tool output": (text) =>
    translateUpdate({
      sessionUpdate: "tool_call",
      toolCallId: "c",
      content: [{ type: "content", content: { type: "text", text } }],
      rawOutput: { output: text, x: "y" },
    }),
  search: (text) => parseSearch(text),
  mention: (text) => tokenAt(text, text.length),
  link: (text) => resolveLinkTarget(text),
  answer: (text) =>
    checkAnswer(
      [{ name: "a", label: "a", required: true, kind: "text", pattern: "^(a|a)*$", format: "email" }],
      { a: text },
      fitsPattern,
    ),
} satisfies Record<string, (text: string) => unknown>;
const NAMES = Object.keys(READERS) as (keyof typeof READERS)[];
const WORDS = [
  ...COMMAND_WORDS,
  ...[
    "\n",
    "\r",
    "\t",
    "\u001b[",
    "\u001b]",
    "\u001b[31m",
    "[",
    "](",
    "![",
    "*",
    "_",
    "`",
    FENCED,
    "<",
    "<!--",
    "&",
    "| ",
    "|-",
    "> ",
    "- ",
    "@",
    "\\",
    '\\"',
    "http://",
    "a",
    "日",
    "**/",
    "*a",
  ],
];
/** Beyond where engines change their way of reading a long word; a command line is not read at all from 20,000 on. */
const LENGTHS = [18_000, 72_000];
const COMMAND_LENGTHS = [4_500, 18_000];
const OF_COMMANDS: ReadonlySet<string> = new Set<keyof typeof READERS>(["shell line", "policy"]);
/** Four times as long may take a little more than four times as long; sixteen times is the square of it. */
const RATIO_MAX = 9;
/** The clock of a thread moves by steps of a few milliseconds. */
const STEP_MS = 8;
const QUICK_MS = 16;
const TRIES = 4;
const Input = z.object({ reader: z.enum(NAMES), start: z.string(), unit: z.string().min(1), end: z.string() });

/** No text takes longer than its length explains: time is compared with the time for a quarter of it, never with a clock. */
export const growth = fuzzTarget({
  name: "growth",
  weight: 0.001,
  shape: Input,
  make: (source) => ({
    reader: source.pick(NAMES),
    start: someText(source, WORDS, 2),
    unit: someText(source, WORDS, 3) || "a",
    end: someText(source, WORDS, 1),
  }),
  check({ reader, start, unit, end }) {
    const read = READERS[reader];
    const [short = "", long = ""] = (OF_COMMANDS.has(reader) ? COMMAND_LENGTHS : LENGTHS).map(
      (length) => start + unit.repeat(Math.ceil(length / unit.length)) + end,
    );
    if (msOf(read, long, 1) < QUICK_MS) return;
    // An accidental ratio does not repeat.
    const ratios = [ratioOf(read, short, long), ratioOf(read, short, long)];
    rule(Math.min(...ratios) <= RATIO_MAX, `time grows no faster than the text (${reader})`, () => ratios);
  },
});

function ratioOf(read: (text: string) => unknown, short: string, long: string): number {
  return msOf(read, long, TRIES) / (msOf(read, short, TRIES) + STEP_MS);
}

function msOf(read: (text: string) => unknown, text: string, times: number): number {
  const before = process.threadCpuUsage();
  for (let time = 0; time < times; time += 1) read(text);
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}
