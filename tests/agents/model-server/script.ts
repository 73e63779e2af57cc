import { z } from "zod/mini";
import { Json } from "../../../src/protocol/json.ts";

/** What a prompt makes the scripted model do, one step per line. */
export type Step =
  | { readonly does: "say" | "think"; readonly text: string }
  /** So many numbered words as fast as the socket takes them. */
  | { readonly does: "long"; readonly words: number }
  /** `<namespace>/<name>` where the dialect has namespaces. */
  | { readonly does: "tool"; readonly name: string; readonly input: Json }
  /** Sends nothing until the test lets it continue. */
  | { readonly does: "hold"; readonly name: string }
  | { readonly does: "fail"; readonly status: number; readonly message: string }
  /** Answers with exactly this, as the limits of an account are told. */
  | {
      readonly does: "refuse";
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: Json;
    };

const LINE = /^\s*(say|think|long|tool|hold|fail|refuse):\s?(.*)$/;

const Refusal = z.object({
  status: z.number(),
  headers: z.record(z.string(), z.string()),
  body: Json,
});

/** Writes a `refuse` line. */
export function refuseLine(refusal: z.infer<typeof Refusal>): string {
  return `refuse: ${JSON.stringify(refusal)}`;
}

/** Reads the steps out of a text; lines that are none are left out. `\n` in a text is a line break. */
export function parseScript(text: string): Step[] {
  return text.split("\n").flatMap((line) => {
    const [, does, rest = ""] = LINE.exec(line) ?? [];
    return does === undefined ? [] : [stepOf(does, rest)];
  });
}

function stepOf(does: string, rest: string): Step {
  const [word = "", ...others] = rest.split(" ");
  const tail = others.join(" ");
  switch (does) {
    case "say":
    case "think":
      return { does, text: rest.replaceAll("\\n", "\n") };
    case "long":
      return { does, words: Number(word) };
    case "tool":
      return { does, name: word, input: Json.parse(JSON.parse(tail)) };
    case "hold":
      return { does, name: rest };
    case "fail":
      return { does, status: Number(word), message: tail || `scripted failure ${word}` };
    case "refuse":
      return { does, ...Refusal.parse(JSON.parse(rest)) };
    default:
      throw new Error(`no step of a script: ${does}`);
  }
}

/** The text of `long: <n>`. */
export function numberedWords(count: number): string {
  return Array.from({ length: count }, (_, index) => `w${index + 1}`).join(" ");
}

/** Writes a `tool` line. */
export function toolLine(name: string, input: Json): string {
  return `tool: ${name} ${JSON.stringify(input)}`;
}
