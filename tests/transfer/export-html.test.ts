import { describe, expect, test } from "bun:test";
import type { Entry } from "../../src/protocol/entry.ts";
import { writeHtml } from "../../src/sessions/transfer/export/write-html.ts";
import { writeMarkdown } from "../../src/sessions/transfer/export/write-markdown.ts";
import { ExportedSession, type ExportSource } from "../../src/sessions/transfer/export-document.ts";
import { hostileEntries } from "./hostile-document.ts";
import { HOSTILE_TEXTS } from "./hostile-texts.ts";

/** Every tag an exported page may have, with every attribute it may carry. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  ...{ html: ["lang"], head: [], meta: ["charset", "http-equiv", "content", "name"], title: [], style: [], body: [] },
  ...{ header: [], main: [], footer: [], article: ["class"], h1: [], h2: [], h3: [], h4: [], h5: [], h6: [] },
  ...{ p: ["class"], time: ["datetime"], details: [], summary: [], span: ["class"], pre: [], code: [], hr: [], br: [] },
  ...{ ul: [], ol: ["start"], li: [], table: [], thead: [], tbody: [], tr: [], th: ["class"], td: ["class"] },
  ...{ figure: ["class"], figcaption: [], ins: [], del: [], strong: [], em: [], blockquote: [] },
  ...{ a: ["href", "rel"], img: ["alt", "src"], audio: ["controls", "src"] },
};

function sourceOf(title: string, entries: readonly Entry[]): ExportSource {
  const at = "2026-01-01T00:00:00.000Z";
  const session = ExportedSession.parse({
    ...{ title: title.slice(0, 200), titleSource: "user", cliType: "builtin", agentName: title.slice(0, 200) },
    ...{ projectName: title.slice(0, 1_000), createdAt: at, lastActiveAt: at, usage: null },
  });
  const runs = async function* () {
    yield entries;
  };
  return { session, directory: "/home/ada/app", now: Date.now, exportedAt: at, runs };
}

async function wholeOf(pieces: AsyncGenerator<string>): Promise<string> {
  return (await Array.fromAsync(pieces)).join("");
}

interface Found {
  readonly tag: string;
  readonly attributes: readonly (readonly [string, string])[];
}

/** As a browser's own kind of parser reads it. */
function elementsOf(html: string): Found[] {
  const found: Found[] = [];
  new HTMLRewriter()
    .on("*", {
      element: ({ tagName, attributes }) => {
        found.push({
          tag: tagName,
          attributes: [...attributes].map(([name = "", value = ""]) => [name, value] as const),
        });
      },
    })
    .transform(html);
  return found;
}

describe("X-12 NFR-5 an exported page", () => {
  test.each(HOSTILE_TEXTS)("shows %j as text wherever it stands", async (text) => {
    const html = await wholeOf(writeHtml(sourceOf(text, hostileEntries(text, 0))));
    const elements = elementsOf(html);
    expect(elements.length).toBeGreaterThan(40);
    const foreign = elements.filter(
      ({ tag, attributes }) => !ALLOWED[tag] || attributes.some(([name]) => !ALLOWED[tag]?.includes(name)),
    );
    expect(foreign).toEqual([]);
    for (const { tag, attributes } of elements) {
      for (const [name, value] of attributes) {
        if (name === "src") expect(value).toMatch(/^data:(image\/png|audio\/wav);base64,[A-Za-z0-9+/]+={0,2}$/);
        if (name === "href") expect(value).toMatch(/^(https?:|mailto:)/i);
        if (name === "http-equiv") expect([tag, value]).toEqual(["meta", "Content-Security-Policy"]);
      }
    }
    expect(elements.filter(({ tag }) => tag === "style")).toHaveLength(1);
    expect(elements.filter(({ tag }) => tag === "article")).toHaveLength(7);
  });

  test("gives Markdown its form: emphasis, code, lists, tables and links of the web", async () => {
    const content =
      "**b** _e_ `c` [l](https://example.com/?a=1&b=2)\n\n1. x\n2. y\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n\n- [x] done";
    const entry = { type: "assistant", entryId: "a", content, timestamp: "2026-01-01T00:00:00.000Z" } as Entry;
    const html = await wholeOf(writeHtml(sourceOf("t", [entry])));
    expect(html).toContain("<strong>b</strong> <em>e</em> <code>c</code>");
    expect(html).toContain('<a href="https://example.com/?a=1&amp;b=2" rel="noopener noreferrer nofollow">l</a>');
    expect(html).toContain('<th class="right">b</th>');
    expect(html).toContain('<li><span class="box">☑</span> done</li>');
  });
});

describe("X-12 exported Markdown", () => {
  test.each(["```", "````", "a\n```\n# not a heading\n```", "`"])("keeps %j inside its fence", async (text) => {
    const [entry] = hostileEntries(text, 0).filter(({ type }) => type === "tool-call");
    if (entry?.type !== "tool-call") throw new Error("no call");
    const { parts: _, permission: __, locations: ___, input: ____, error: _____, ...bare } = entry;
    const markdown = await wholeOf(writeMarkdown(sourceOf("t", [{ ...bare, name: "Run", status: "complete" }])));
    const fences = [...markdown.matchAll(/^(`{3,})$/gm)].map(([fence]) => fence);
    const outer = fences.at(-1) ?? "";
    expect(markdown).toContain(`\n${outer}\n${text}\n${outer}\n`);
    expect(text.includes(outer)).toBe(false);
  });
});

describe("(D12) an exported page looks like the session", () => {
  const page = async (entry: object) => wholeOf(writeHtml(sourceOf("t", [entry as Entry])));
  const call = { type: "tool-call", entryId: "t", toolCallId: "t", status: "complete", content: "" };

  test("code has the colours of its language under the language's name, and hostile code is text all the same", async () => {
    const content = '```ts\nconst a = "</code><script>x</script>";\n```\n\n```nolang"><b\n<b>\n```';
    const html = await page({ type: "assistant", entryId: "a", content, timestamp: "2026-01-01T00:00:00.000Z" });
    expect(html).toContain("<figcaption>TypeScript</figcaption>");
    expect(html).toContain('<span class="hljs-keyword">const</span>');
    expect(html).toContain("&lt;/code&gt;&lt;script&gt;x&lt;/script&gt;");
    expect(html).toContain("<figcaption>nolang&quot;&gt;&lt;b</figcaption><pre><code>&lt;b&gt;</code></pre>");
    expect(html).not.toContain("<script");
  });

  test("an edit says its place in the project, its lines and its own time, and opens to a coloured change", async () => {
    const path = "/home/ada/app/src/a.ts";
    const times = { startedAt: "2026-01-01T00:00:00.000Z", endedAt: "2026-01-01T00:01:04.000Z", waitedMs: 60_000 };
    const oldText = `${"same\n".repeat(9)}const a = 1;\n`;
    const parts = [{ type: "diff", path, oldText, newText: `${"same\n".repeat(9)}const b = 1;\nlet c;\n` }];
    const html = await page({ ...call, name: "Edit", kind: "edit", input: { file_path: path }, ...times, parts });
    expect(html).toContain('<span class="name">Edit</span> <span class="target">src/a.ts</span>');
    expect(html).toContain('<span class="stat-add">+2</span> <span class="stat-del">−1</span>');
    expect(html).toContain('<span class="took">4.0 s</span>');
    expect(html).toContain('<span class="fold">6 unchanged lines</span>');
    expect(html).toContain('<del>- <span class="hljs-keyword">const</span>');
    expect(html).not.toContain("/home/ada/app/src");
  });

  test("the changes of a turn open to the files, what is missing, and why", async () => {
    const files = [
      { path: "src/a.ts", status: "modified", added: 3, removed: 0 },
      { path: "logo\u202egnp.exe", status: "added", added: null, removed: null },
    ];
    const leftOut = [{ path: ".env", reason: "ignored" }];
    const changes = { type: "changes", entryId: "c", content: "12 files changed, +3 −0", before: "b", after: "a" };
    const html = await page({ ...changes, total: 12, added: 3, removed: 0, files, leftOut, late: true, timestamp: "" });
    expect(html).toContain("<details><summary>12 files changed, +3 −0</summary>");
    expect(html).toContain(
      '<li><code>src/a.ts</code> <span class="faint">modified</span> <span class="stat-add">+3</span></li>',
    );
    expect(html).toContain("<code>logo&lt;U+202E&gt;gnp.exe</code>");
    expect(html).toContain("and 10 more");
    expect(html).toContain("Taken late");
    expect(html).toContain('<code>.env</code> <span class="faint">ignored by Git, never stored</span>');
  });

  test("colours take a second of a document at most: what would take longer stays plain", async () => {
    let nowMs = 0;
    const now = () => (nowMs += 300);
    const content = "```ts\nconst a = 1;\n```\n\n".repeat(10);
    const entry = { type: "assistant", entryId: "a", content, timestamp: "2026-01-01T00:00:00.000Z" } as Entry;
    const html = await wholeOf(writeHtml({ ...sourceOf("t", [entry]), now }));
    expect(html.split('<span class="hljs-keyword">const</span>')).toHaveLength(5);
    expect(html.split("<code>const a = 1;</code>")).toHaveLength(7);
    const long = await page({ ...entry, content: `\`\`\`csharp\n${"a ".repeat(50_000)}\n\`\`\`` });
    expect(long).toContain(`<code>${"a ".repeat(50_000)}`);
  });

  test("a command is named once and shown as the line that ran", async () => {
    const command = "echo $HOME && cat /home/ada/app/a.ts";
    const html = await page({ ...call, name: command, kind: "execute", input: { command }, result: "x" });
    expect(html).toContain('<span class="name">Run</span> <span class="target">echo $HOME &amp;&amp; cat');
    expect(html).not.toContain("&quot;command&quot;");
  });
});
