import type { ModelRequest } from "../agents/model-server/model-request.ts";
import { type ModelServer, startModelServer } from "../agents/model-server/model-server.ts";
import { isHousekeeping, planAnswer, stepsLeft } from "../agents/model-server/plan-answer.ts";
import type { Step } from "../agents/model-server/script.ts";

export const FIX = "Retries wait for days. Cap the delay at a minute and test it.";
export const DESCRIBE = "Describe the retry delays in the README.";

export const FILES: Readonly<Record<string, string>> = {
  "README.md": "# atlas-api\n\nThe API of Atlas.\n",
  "src/backoff.ts": [
    "const BASE_MS = 500;",
    "",
    "/** Delay before the next attempt, in milliseconds. */",
    "export function delayFor(attempt: number): number {",
    "  return BASE_MS * 2 ** attempt;",
    "}",
    "",
  ].join("\n"),
};
const TEST = [
  'import { expect, test } from "bun:test";',
  'import { delayFor } from "../src/backoff.ts";',
  "",
  'test("never waits longer than a minute", () => {',
  "  expect(delayFor(20)).toBe(60_000);",
  "});",
  "",
].join("\n");
const README = [
  "# atlas-api",
  "",
  "The API of Atlas.",
  "",
  "## Retries",
  "",
  "A failed call is tried again after 0.5 s, 1 s, 2 s and so on.",
  "",
].join("\n");

const ANSWER = `Retries now wait **at most a minute**.

| attempt | before | now |
|--:|--:|--:|
| 3 | 4 s | 4 s |
| 7 | 64 s | 60 s |
| 20 | 6 days | 60 s |

The new test fails without the cap.`;

const think = (text: string): Step => ({ does: "think", text });
const say = (text: string): Step => ({ does: "say", text });
const tool = (name: string, input: Extract<Step, { does: "tool" }>["input"]): Step => ({ does: "tool", name, input });

/** The pieces in which the answer is told; the film is told of each by the hold behind it. */
export const ANSWER_PIECES = ANSWER.match(/[\s\S]{1,34}(?:\s|$)/g) ?? [];
export const holdAfter = (piece: number) => `answer-${piece}`;
/** What of a piece is on the page as it is written here. */
export const lastWord = (piece: string) => piece.match(/[\p{L}\d.]+/gu)?.at(-1) ?? "";

const SCRIPTS: Readonly<Record<string, readonly Step[]>> = {
  [FIX]: [
    think("The delay doubles with every attempt, without an end. A cap belongs into delayFor itself."),
    say("I look at how the delay is computed first."),
    tool("read_file", { path: "src/backoff.ts" }),
    tool("edit_files", {
      edits: [
        { path: "src/backoff.ts", old: "const BASE_MS = 500;", new: "const BASE_MS = 500;\nconst CAP_MS = 60_000;" },
        {
          path: "src/backoff.ts",
          old: "return BASE_MS * 2 ** attempt;",
          new: "return Math.min(CAP_MS, BASE_MS * 2 ** attempt);",
        },
      ],
    }),
    tool("write_file", { path: "test/backoff.test.ts", text: TEST }),
    ...ANSWER_PIECES.flatMap((text, at): Step[] => [say(text), { does: "hold", name: holdAfter(at) }]),
  ],
  [DESCRIBE]: [
    say("I read what is there, then I add a section."),
    tool("read_file", { path: "README.md" }),
    tool("write_file", { path: "README.md", text: README }),
    tool("run_command", { command: "git commit -qam 'Describe the retry delays'" }),
    say("The README has a section about **retries** now. It is committed on this branch."),
  ],
};

/** A model on loopback with the script of the film. */
export function startFilmModel(): ModelServer {
  return startModelServer((request) => (isHousekeeping(request) ? planAnswer(request) : answerTo(request)));
}

function answerTo(request: ModelRequest): readonly Step[] {
  for (const [prompt, steps] of Object.entries(SCRIPTS)) {
    const at = request.said.findLastIndex(
      ({ by, texts }) => by === "user" && texts.some((text) => text.includes(prompt)),
    );
    if (at !== -1) return stepsLeft(request, at, steps);
  }
  throw new Error("the film has no answer to this");
}
