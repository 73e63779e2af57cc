import type { Tally } from "./tally.ts";

/** The content of Bun's junit report; `files` are those whose tests were run. */
export type JunitReport = {
  readonly tally: Tally;
  readonly files: ReadonlySet<string>;
  /** Name of each failed test, and below it the first lines of the error. */
  readonly failures: readonly string[];
  /** Full names of the passed tests, with those of the blocks around them. */
  readonly passed: readonly string[];
  /** Full names of those that were left out: their requirements are not on this machine. */
  readonly leftOut: readonly string[];
};

/** Enough to understand a failure if only the end of a run's output can be read. */
const REASON_LINES_MAX = 10;
const REASON_LINE_CHARACTERS_MAX = 300;
const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" };

/** Reads the report of `bun test --reporter=junit`. A file that could not be loaded is not in it, so compare `files`. */
export function readJunit(xml: string): JunitReport {
  const whole = attributes(/<testsuites\b([^>]*)>/.exec(xml)?.[1] ?? "");
  const number = (name: string) => Number(whole.get(name) ?? "0");
  const failed = number("failures");
  const skipped = number("skipped");
  return {
    tally: { passed: number("tests") - failed - skipped, failed, skipped },
    files: new Set(
      [...xml.matchAll(/<testsuite\b([^>]*)>/g)].flatMap(([, text]) => attributes(text ?? "").get("file") ?? []),
    ),
    failures: [...xml.matchAll(/<testcase\b([^>]*[^/])>\s*<failure\b[^>]*?(?:\/>|>([^<]*)<)/g)].map(([, text, why]) => {
      const test = attributes(text ?? "");
      const name = [test.get("file"), test.get("classname"), test.get("name")].filter(Boolean).join(" > ");
      return [name, ...firstLines(decode(why ?? ""))].join("\n    ");
    }),
    passed: [...xml.matchAll(/<testcase\b([^>]*)\/>/g)].map(([, text]) => fullName(text)),
    leftOut: [...xml.matchAll(/<testcase\b([^>]*[^/])>\s*<skipped\b/g)].map(([, text]) => fullName(text)),
  };
}

function fullName(text = ""): string {
  const test = attributes(text);
  return [test.get("classname"), test.get("name")].filter(Boolean).join(" > ");
}

function firstLines(reason: string): string[] {
  const lines = reason.split("\n").filter((line) => line.trim() !== "");
  return lines.slice(0, REASON_LINES_MAX).map((line) => line.slice(0, REASON_LINE_CHARACTERS_MAX));
}

function attributes(text: string): Map<string, string> {
  return new Map([...text.matchAll(/([\w-]+)="([^"]*)"/g)].map(([, name, value]) => [name ?? "", decode(value ?? "")]));
}

function decode(text: string): string {
  return text.replace(/&(?:#(\d+)|(\w+));/g, (entity, code: string | undefined, name: string | undefined) =>
    code ? String.fromCodePoint(Number(code)) : (ENTITIES[name ?? ""] ?? entity),
  );
}
