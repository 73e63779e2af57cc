import { Json } from "../../../src/protocol/json.ts";

/** What a prompt makes the scripted model do, one step per line. */
export type Step =
  | { readonly does: "say" | "think"; readonly text: string }
  /** So many numbered words as fast as the socket takes them. */
  | { readonly does: "long"; readonly words: number }
  /** `<namespace>/<name>` where the dialect has namespaces. */
  | { readonly does: "tool"; readonly name: string; readonly input: Json }
  /** Says nothing until the test lets it go on. */
  | { readonly does: "hold"; readonly name: string }
  | { readonly does: "fail"; readonly status: number; readonly message: string };

const LINE = /^\s*(say|think|long|tool|hold|fail):\s?(.*)$/;

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
    default:
      throw new Error(`no step of a script: ${does}`);
  }
}

/** The words that `long: <n>` says. */
export function numberedWords(count: number): string {
  return Array.from({ length: count }, (_, index) => `w${index + 1}`).join(" ");
}

/** Writes a `tool` line. */
export function toolLine(name: string, input: Json): string {
  return `tool: ${name} ${JSON.stringify(input)}`;
}
