import { z } from "zod";
import { outputTail } from "../../../src/frame/transcript/parts/output-block.ts";
import { plainOutput } from "../../../src/presentation/entry-words.ts";
import { ansiSpans } from "../../../src/ui/output/ansi-spans.ts";
import { rule, ruleSame } from "../engine/broken-rule.ts";
import { hasControls } from "../engine/control-characters.ts";
import { fuzzTarget } from "../engine/fuzz-target.ts";
import { mutateText, someText } from "../engine/mutate-text.ts";

const ESC = "\u001b";
const WORDS = [
  "a",
  "some words",
  "\n",
  "\n",
  "\r",
  "\r\n",
  "\t",
  "\b",
  "\u0007",
  "漢",
  "😀",
  ESC,
  `${ESC}[`,
  `${ESC}[0m`,
  `${ESC}[1;31m`,
  `${ESC}[38;5;9m`,
  `${ESC}[999;;m`,
  `${ESC}[2K`,
  `${ESC}[?25l`,
  `${ESC}]0;title\u0007`,
  `${ESC}]8;;https://x${ESC}\\`,
  `${ESC}(B`,
  `${ESC}c`,
];
const CLASSES = /^(?:a-(?:black|red|green|yellow|blue|magenta|cyan|white)|a-bold|a-dim)(?: a-(?:bold|dim))*$/;
const Input = z.object({ text: z.string(), linesMax: z.int().min(1), charsMax: z.int().min(1) });

/** What commands print: shown without anything that acts, and no word of plain text is lost. */
export const terminalText = fuzzTarget({
  name: "terminal-text",
  weight: 100,
  shape: Input,
  make(source, corpus) {
    const isNew = corpus.length === 0 || source.isOneIn(2);
    const text = isNew ? someText(source, WORDS, 20) : mutateText(source, source.pick(corpus).text, WORDS);
    return { text, linesMax: source.between(1, 4), charsMax: source.pick([1, 10, 1_000]) };
  },
  check({ text, linesMax, charsMax }) {
    const spans = ansiSpans(text);
    const shown = spans.map((span) => span.text).join("");
    for (const { className } of spans) rule(className === "" || CLASSES.test(className), "styles are of our own");
    const plain = plainOutput(text);
    rule(!hasControls(plain), "exported output has no control characters", () => plain);
    rule(!shown.includes("\r"), "what was overwritten is gone");
    if (!hasControls(text) && !text.includes("\r")) {
      ruleSame(shown, text, "plain text is shown as it is");
      ruleSame(plain, text, "plain text is exported as it is");
    }
    const { start, hiddenLines } = outputTail(text, linesMax, charsMax);
    const tail = text.slice(start);
    rule(start >= 0 && start <= text.length && tail.length <= charsMax, "the end of an output is within its limit");
    rule(
      tail.replace(/\n$/, "").split("\n").length <= linesMax,
      "the end of an output has no more lines than asked for",
    );
    rule(start === 0 ? hiddenLines === 0 : hiddenLines > 0, "what is hidden is counted");
  },
});
