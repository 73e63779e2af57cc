import { z } from "zod";
import { Entry } from "../../../src/protocol/entry.ts";
import { CliType } from "../../../src/protocol/ids.ts";
import type { Json } from "../../../src/protocol/json.ts";
import { writeJson } from "../../../src/sessions/transfer/export/export-service.ts";
import { writeHtml } from "../../../src/sessions/transfer/export/write-html.ts";
import { writeMarkdown } from "../../../src/sessions/transfer/export/write-markdown.ts";
import { DocumentError, type ExportSource, readDocument } from "../../../src/sessions/transfer/export-document.ts";
import { rule, ruleSame } from "../engine/broken-rule.ts";
import { fuzzTarget } from "../engine/fuzz-target.ts";
import { mutateJson } from "../engine/mutate-json.ts";
import { checkUnpolluted } from "../engine/unpolluted.ts";

const NOW = "2026-01-01T00:00:00.000Z";
const ENTRIES: readonly Json[] = [
  {
    type: "user",
    entryId: "e1",
    turnId: "t1",
    content: "Do <b>it</b>",
    timestamp: NOW,
    attachments: [{ type: "link", uri: "file:///a", name: "a" }],
  },
  { type: "assistant", entryId: "e2", turnId: "t1", content: "**Done** `x`", timestamp: NOW, messageId: "m" },
  { type: "thinking", entryId: "e3", content: "hm" },
  {
    type: "tool-call",
    entryId: "e4",
    toolCallId: "c",
    name: "Edit <script>",
    status: "error",
    content: "",
    result: "out\u001b[31m",
    error: "no",
    input: { a: [1, null] },
    parts: [
      { type: "diff", path: "a.ts", oldText: "a\n", newText: "b\n" },
      { type: "image", mimeType: "image/png", data: "AA==" },
    ],
    locations: [{ path: "a.ts", line: 3 }],
    startedAt: NOW,
  },
  { type: "plan", entryId: "e5", content: "- [ ] x", items: [{ content: "x", priority: "high", status: "pending" }] },
  { type: "notice", entryId: "e6", severity: "warning", content: "careful", turnEnd: "max_tokens" },
];
const POOL = {
  samples: ENTRIES,
  words:
    "<script>alert(1)</script> \" ' --> ``` </pre> javascript:x user assistant tool-call image/svg+xml & \u001b[0m".split(
      " ",
    ),
};
const Input = z.object({ entries: z.array(z.unknown()), tear: z.nullable(z.int()) });

/** Export and import of a session: the same afterwards, and a foreign file is refused with the position. */
export const transfer = fuzzTarget({
  name: "transfer",
  weight: 0.3,
  shape: Input,
  make: (source) => ({
    entries: source.list(0, 4, () => {
      let entry = source.pick(ENTRIES);
      for (let changes = source.below(4); changes > 0; changes -= 1) entry = mutateJson(source, entry, POOL);
      return entry;
    }),
    tear: source.isOneIn(3) ? source.below(1_000_000) : null,
  }),
  async check({ entries, tear }) {
    const valid = entries.flatMap((raw) => {
      const entry = Entry.safeParse(raw).data;
      return entry && JSON.stringify(entry).length < 100_000 ? [entry] : [];
    });
    const given = JSON.stringify({ ...head(), entries });
    await readOrRefuse(given);
    if (tear !== null) await readOrRefuse(torn(given, tear));
    const source: ExportSource = {
      session: head().session,
      directory: "/home/ada/app",
      now: Date.now,
      exportedAt: NOW,
      runs: async function* () {
        yield valid;
      },
    };
    const read = await readOrRefuse(await wholeOf(writeJson(source)));
    if (read !== null)
      ruleSame(
        read.entries,
        valid.map((entry) => JSON.parse(JSON.stringify(withoutCommand(entry)))),
        "what was exported comes back as it was",
      );
    const html = await wholeOf(writeHtml(source));
    rule(
      !/<(?:script|iframe|object|embed|svg|img(?! alt="Image" src="data:image\/(?:png|jpeg|gif|webp|avif|bmp);base64,[\w+/=]*">))/i.test(
        html,
      ),
      "an exported page has nothing that acts",
    );
    rule((await wholeOf(writeMarkdown(source))).length > 0, "an exported text says something");
    checkUnpolluted();
  },
});

async function wholeOf(pieces: AsyncGenerator<string>): Promise<string> {
  return (await Array.fromAsync(pieces)).join("");
}

function head() {
  const cliType = CliType.parse("builtin");
  const session = {
    title: "T",
    titleSource: "user",
    cliType,
    agentName: "A",
    projectName: "P",
    createdAt: NOW,
    lastActiveAt: NOW,
    usage: null,
  } as const;
  return { format: "liminal-builder-session", version: 1, exportedAt: NOW, session };
}

function withoutCommand(entry: Entry): Entry {
  if (entry.type !== "user") return entry;
  const { commandId: _, ...rest } = entry;
  return rest;
}

function torn(text: string, at: number): string {
  const from = at % (text.length + 1);
  return at % 2 === 0 ? text.slice(0, from) : text.slice(0, from) + text.slice(from + 1);
}

async function readOrRefuse(text: string) {
  try {
    return await readDocument(text);
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error;
    rule(
      /^(?:line \d+|entries|the file|The file|[a-zA-Z]+)/.test(error.message),
      "a refusal names the place",
      () => error.message,
    );
    return null;
  }
}
