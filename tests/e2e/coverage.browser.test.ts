import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Glob } from "bun";
import type { Locator } from "playwright-core";
import { z } from "zod";
import { expectSoon } from "../support/expect-soon.ts";
import { ROOT, startTestServer, type TestServer } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";
import type { AppPage } from "./app-page.ts";
import { type CoverageRow, coverageRows, schemaKinds } from "./coverage-table.ts";
import type { SessionView } from "./session-view.ts";
import { useChromium } from "./use-chromium.ts";

const FAMILIES = [
  "SessionUpdate",
  "ContentBlock",
  "EmbeddedResourceResource",
  "ToolCallContent",
  "SessionConfigOption",
  "StopReason",
  "x-method",
];
const rows = coverageRows();
const chromium = useChromium();
let server: TestServer;
let app: AppPage;
let session: SessionView;
let wire: Wire;

beforeAll(async () => {
  server = await startTestServer();
  app = await chromium.open(server, { viewport: { width: 1_280, height: 2_400 } });
  await app.addProject(await server.directory("coverage"));
  session = await app.newSession("coverage");
  await session.ask("all", "That was all.");
  await openEveryLine(session.transcript);
  wire = readWire(await (await server.fetch(`/api/trace?sessionId=${encodeURIComponent(session.id)}`)).text());
});

afterAll(async () => {
  await app[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

describe("the table of an agent's messages", () => {
  test.each(FAMILIES)("has every kind of %s that the SDK's schema has, and no other", (family) => {
    const kinds = schemaKinds(family);
    expect(kinds.length).toBeGreaterThan(0);
    expect(rows.filter((row) => row.family === family).map(({ kind }) => kind)).toEqual(expect.arrayContaining(kinds));
    expect(rows.filter((row) => row.family === family)).toHaveLength(kinds.length);
  });

  test("names a test for every kind, and each of them exists", () => {
    const paths = ["src/**/*.test.ts", "tests/**/*.test.ts"].flatMap((pattern) => [
      ...new Glob(pattern).scanSync(ROOT),
    ]);
    const sources = paths.map((path) => readFileSync(join(ROOT, path), "utf8"));
    const isTitle = (name: string) => sources.some((source) => source.includes(`("${name}"`));
    expect(rows.filter(({ tests }) => tests.length === 0 || !tests.every(isTitle))).toEqual([]);
  });
});

describe("the built-in agent's `all` in the page", () => {
  test.each(rows.filter(({ seen }) => seen.how !== "elsewhere"))(
    "X-7 $family $kind comes over the wire",
    ({ family, kind }) => {
      expect(wire.kinds(family)).toContain(kind);
    },
  );

  test.each(rows.filter(({ seen }) => seen.how === "selector"))(
    "X-7 $family $kind is on the screen",
    async ({ seen }) => {
      const shown = session.frame.locator(seen.text).first();
      // With a wide font the row of options keeps some of them in its menu.
      const isInMenu = await shown.evaluate((element) => element.closest("[popover]:not(:popover-open)") !== null);
      if (isInMenu) await session.frame.getByRole("button", { name: /options/i }).click();
      await shown.waitFor();
    },
  );

  test.each(rows.filter(({ seen }) => seen.how === "answered"))("X-7 $kind is answered with a result", ({ kind }) => {
    expect(wire.answered).toContain(kind);
  });

  test("X-7 every kind of content an agent can send is on the screen", async () => {
    const shown = (selector: string) => session.frame.locator(selector);
    await waitFor(
      () =>
        shown("img.part-image").evaluateAll((images) =>
          images.map((image) => Number(Reflect.get(image, "naturalWidth"))),
        ),
      (sizes) => sizes.length >= 3 && sizes.every((width) => width === 48),
      "every picture in its own size",
    );
    await expectSoon(() => shown("audio[controls]").count()).toBe(1);
    await shown(".part-link").getByText("example.txt").first().waitFor();
    await shown(".diff").first().waitFor();
    for (const word of ["new file", "deleted"]) await shown(".block-head .tag").getByText(word).waitFor();
  });
});

/** Opening a line may bring further lines into view. */
async function openEveryLine(transcript: Locator): Promise<void> {
  const closed = transcript.locator('button.line[aria-expanded="false"]');
  while ((await closed.count()) > 0) await closed.first().click();
  const summaries = transcript.locator("details:not([open], [hidden]) > summary");
  while ((await summaries.count()) > 0) await summaries.first().click();
}

const TraceLine = z.looseObject({ direction: z.string().optional(), text: z.string().optional() });
const Message = z.looseObject({
  id: z.union([z.string(), z.number()]).nullish(),
  method: z.string().optional(),
  params: z.looseObject({ update: z.looseObject({ sessionUpdate: z.string() }).optional() }).optional(),
  result: z.unknown().optional(),
  error: z.looseObject({ code: z.number() }).optional(),
});
type Message = z.infer<typeof Message>;

interface Wire {
  readonly answered: readonly string[];
  kinds(family: CoverageRow["family"]): readonly string[];
}

/** What went over the wire, from the session's own trace. */
function readWire(trace: string): Wire {
  const lines = trace
    .trim()
    .split("\n")
    .map((line) => TraceLine.parse(JSON.parse(line)));
  const said = (direction: string) =>
    lines.flatMap(({ direction: way, text = "" }) => (way === direction ? [Message.parse(JSON.parse(text))] : []));
  const [heard, told] = [said("in"), said("out")];
  const asked = heard.flatMap(({ method }) => method ?? []);
  const answered = heard.flatMap(({ id, method }) =>
    method !== undefined && told.some((answer) => answer.id === id && isAnswer(answer)) ? [method] : [],
  );
  const text = JSON.stringify(heard);
  const marks = (name: string) =>
    [...text.matchAll(new RegExp(`"${name}":"([a-z_]+)"`, "g"))].flatMap(([, mark]) => mark ?? []);
  const inside: Readonly<Record<string, () => readonly string[]>> = {
    SessionUpdate: () => marks("sessionUpdate"),
    StopReason: () => marks("stopReason"),
    EmbeddedResourceResource: () => [
      ...(text.includes('"blob":"') ? ["BlobResourceContents"] : []),
      ...(/"resource":\{[^}]*"text":"/.test(text) ? ["TextResourceContents"] : []),
    ],
    "x-method": () => asked,
  };
  return { answered, kinds: (family) => inside[family]?.() ?? marks("type") };
}

/** A question that was withdrawn is answered too: with a result, or with the code for just that. */
function isAnswer({ method, result, error }: Message): boolean {
  return method === undefined && (result !== undefined || error?.code === -32_800);
}
