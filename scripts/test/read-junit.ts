import type { Tally } from "./tally.ts";

/** What Bun's junit report says; `files` are those whose tests it reached at all. */
export type JunitReport = {
  readonly tally: Tally;
  readonly files: ReadonlySet<string>;
  readonly failures: readonly string[];
  /** Full names of the tests that passed, with those of the blocks around them. */
  readonly passed: readonly string[];
};

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
    failures: [...xml.matchAll(/<testcase\b([^>]*[^/])>\s*<failure\b/g)].map(([, text]) => {
      const test = attributes(text ?? "");
      return [test.get("file"), test.get("classname"), test.get("name")].filter(Boolean).join(" > ");
    }),
    passed: [...xml.matchAll(/<testcase\b([^>]*)\/>/g)].map(([, text]) => {
      const test = attributes(text ?? "");
      return [test.get("classname"), test.get("name")].filter(Boolean).join(" > ");
    }),
  };
}

function attributes(text: string): Map<string, string> {
  return new Map([...text.matchAll(/([\w-]+)="([^"]*)"/g)].map(([, name, value]) => [name ?? "", decode(value ?? "")]));
}

function decode(text: string): string {
  return text.replace(/&(?:#(\d+)|(\w+));/g, (entity, code: string | undefined, name: string | undefined) =>
    code ? String.fromCodePoint(Number(code)) : (ENTITIES[name ?? ""] ?? entity),
  );
}
