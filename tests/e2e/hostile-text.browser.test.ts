import { expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { chunk, script, scriptedAgent } from "../integration/scripted-agent.ts";
import { expectSoon } from "../support/expect-soon.ts";
import { startTestServer } from "../support/test-server.ts";
import type { AppPage } from "./app-page.ts";
import { loadedFrames } from "./loaded-frames.ts";
import { useChromium } from "./use-chromium.ts";

/** Each would leave a mark on the top window if it ever ran. */
const MARKUP = [
  "<img src=x onerror=\"top.ran='img'\">",
  "<script>top.ran='script'</script>",
  "<svg onload=\"top.ran='svg'\"></svg>",
  "<iframe srcdoc=\"<script>top.ran='srcdoc'</script>\"></iframe>",
  "<a href=\"javascript:top.ran='anchor'\">raw anchor</a>",
];
const LINKS = [
  "[a script](javascript:top.ran='link')",
  "[spaced](  JaVaScRiPt:top.ran='spaced')",
  "[data](data:text/html,<script>top.ran='data'</script>)",
  "[file](file:///etc/passwd)",
  "<javascript:top.ran='auto'>",
];

const chromium = useChromium();

/** Nothing ran, and nothing of it became an element; what the policy bars or a script reports is watched by the page itself. */
async function expectInert(app: AppPage): Promise<void> {
  await expectSoon(() => app.page.evaluate("top.ran ?? null")).toBeNull();
  for (const frame of await loadedFrames(app.page)) {
    const made = await frame.evaluate<string[]>(`[...document.querySelectorAll(
      "[onerror], [onload], [onclick], iframe[srcdoc], a[href^='javascript' i], a[href^='data' i], a[href^='file' i], article script, article img, article iframe, article object, article form"
    )].map((element) => element.outerHTML)`);
    expect(made).toEqual([]);
  }
}

test("NFR-5 markup and links in a user's message, which also becomes the title, are shown as text", async () => {
  await using server = await startTestServer();
  await using app = await chromium.open(server);
  await app.addProject(await server.directory("demo"));
  const session = await app.newSession("demo");
  const [image = ""] = MARKUP;
  await session.ask(image, "help");
  await app.untilTabs(image);
  await app.untilRows(image);
  await session.ask([...MARKUP, ...LINKS].join("\n"), "help");
  const [, shown = ""] = await session.texts("user");
  for (const text of [...MARKUP, "[a script](javascript:top.ran='link')"]) expect(shown).toContain(text);
  await expectInert(app);
  await app.refresh();
  await (await app.shownSession()).untilSaid("help");
  await expectInert(app);
});

test("NFR-5 markup and links in an agent's markdown are inert; good links stay links that lead outside", async () => {
  await using server = await startTestServer({ agents: { scripted: scriptedAgent() } });
  await using app = await chromium.open(server);
  await app.addProject(await server.directory("demo"));
  const session = await app.newSession("demo", "Scripted");
  const remote = "![remote](http://198.51.100.7/track.png)";
  const good = "[good](https://example.com/page)";
  const text = [...MARKUP, ...LINKS, remote, good, "The end."].join("\n\n");
  await session.ask(script(chunk(text), { end: "end_turn" }), "The end.");
  const [shown = ""] = await session.texts("assistant");
  expect(shown).toContain("<script>top.ran='script'</script>");
  expect(shown).toContain("a script");
  for (const words of ["a script", "spaced", "data", "file"]) {
    const dead = session.entries("assistant").getByText(words, { exact: true });
    if ((await dead.count()) > 0) await dead.first().click();
  }
  const link = session.entries("assistant").getByRole("link", { name: "good" });
  await expectSoon(() => link.getAttribute("href")).toBe("https://example.com/page");
  await expectSoon(() => link.getAttribute("rel")).toContain("noopener");
  await expectSoon(() => link.getAttribute("target")).toBe("_blank");
  await expectInert(app);
});

test("NFR-5 markup in tool calls, their output, thoughts and plans is shown as text", async () => {
  await using server = await startTestServer({ agents: { scripted: scriptedAgent() } });
  await using app = await chromium.open(server);
  await app.addProject(await server.directory("demo"));
  const session = await app.newSession("demo", "Scripted");
  const evil = MARKUP.join(" ");
  const content = { type: "text", text: evil };
  const call = {
    sessionUpdate: "tool_call",
    toolCallId: "t1",
    title: evil,
    kind: "execute",
    status: "completed",
    rawInput: { command: evil },
    content: [{ type: "content", content }],
  };
  const steps = [
    { update: { sessionUpdate: "agent_thought_chunk", content } },
    { update: { sessionUpdate: "plan", entries: [{ content: evil, priority: "high", status: "pending" }] } },
    { update: call },
    { update: { sessionUpdate: "session_info_update", title: MARKUP[1] } },
    chunk("The end."),
    { end: "end_turn" },
  ];
  await session.ask(script(...steps), "The end.");
  for (const type of ["thinking", "tool-call"] as const) {
    await session.entries(type).getByRole("button").first().click();
    await session.entries(type).getByText("top.ran='script'").first().waitFor();
  }
  await session.entries("plan").getByText("top.ran='script'").waitFor();
  await app.untilTabs(MARKUP[1] ?? "");
  await expectInert(app);
});

test("NFR-5 a hostile directory name and a hostile file are shown as text", async () => {
  await using server = await startTestServer();
  await using app = await chromium.open(server);
  const name = "<img src=x onerror=top.ran=1>";
  const path = await server.directory(name);
  await writeFile(join(path, "page.html"), `${MARKUP.join("\n")}\n`);
  await app.addProject(path);
  const session = await app.newSession(name);
  await session.ask("read page.html", "has 5 lines");
  await session.entries("tool-call").getByRole("button").first().click();
  await session.entries("tool-call").getByText("<script>top.ran='script'</script>").waitFor();
  await session.ask("search onerror", "1 match");
  await expectInert(app);
});
