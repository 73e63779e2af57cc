import { expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { COMMANDS_TIMEOUT_MS } from "../cli/liminal.ts";
import { chunk, scriptedAgent } from "../integration/scripted-agent.ts";
import { expectSoon } from "../support/expect-soon.ts";
import { startTestServer } from "../support/test-server.ts";
import { git, write } from "../workspace/git-scene.ts";
import { axeViolations } from "./axe-violations.ts";
import { picturesOf } from "./pictures.ts";
import { useChromium } from "./use-chromium.ts";

const chromium = useChromium();
const TASK = "Retry the importer on 502";
const doing = (command: string, words: string) => [{ shell: command }, chunk(words), { end: "end_turn" }];
const agentNamed = (name: string, attempts: string, after = "true") => ({
  ...scriptedAgent({
    scripts: {
      [TASK]: doing(
        `sed -i 's/= 1;/= ${attempts};/' importer.js && ${after} && printf '\\0\\1' > sound.bin`,
        `It tries ${attempts} times now.`,
      ),
    },
  }),
  name,
  permissions: "all" as const,
});

test(
  "[CV-45] in the page: one task for three attempts, compared side by side, one is kept and merged, the others are archived",
  async () => {
    const agents = { careful: agentNamed("Careful", "3"), bold: agentNamed("Bold", "9", "git commit -qam Nine") };
    await using server = await startTestServer({ agents });
    const root = await server.directory("shop");
    git(root, "init", "-q", "-b", "main");
    git(root, "config", "user.name", "The User");
    git(root, "config", "user.email", "user@example.org");
    await write(root, { "importer.js": "export const attempts = 1;\n" });
    git(root, "add", "-A");
    git(root, "commit", "-qm", "first");
    await using app = await chromium.open(server);
    const picture = picturesOf(app.page);
    await app.addProject(root);

    const picker = await app.pickAgent("shop");
    await picker.getByRole("textbox", { name: "First message" }).fill(TASK);
    await picker.getByRole("button", { name: "Best of N…" }).click();
    const start = app.page.getByRole("dialog", { name: "Best of N" });
    await expectSoon(() => start.getByLabel("Task").inputValue()).toBe(TASK);
    // Whichever were chosen before: two attempts of one agent, one of the other.
    const less = start.getByRole("button", { name: /^One less of/, disabled: false });
    while ((await less.count()) > 0) await less.first().click();
    await start.getByRole("button", { name: "Start", exact: true }).waitFor();
    await start.getByRole("button", { name: "One more of Careful" }).click();
    await start.getByRole("button", { name: "One more of Bold" }).click();
    await start.getByRole("button", { name: "One more of Careful" }).click();
    expect(await axeViolations(app.page)).toEqual([]);
    await picture("start");
    await start.getByRole("button", { name: "Start 3 attempts" }).click();

    await app.page.getByRole("heading", { name: "Best of 3" }).waitFor();
    const cards = app.page.getByRole("list", { name: "Attempts" }).locator("> li");
    const bold = cards.filter({ hasText: "Bold" });
    await bold.getByText("It tries 9 times now.").waitFor();
    await bold.getByRole("list", { name: "Changed files" }).getByText("importer.js").waitFor();
    await bold.getByRole("listitem").filter({ hasText: "sound.bin" }).getByText("binary").waitFor();
    for (const card of await cards.all()) await card.getByText("+1").first().waitFor();
    // The file that most of them changed is read in all of them, side by side, committed or not.
    const linesOf = (card: typeof bold) =>
      card.getByRole("group", { name: /^importer\.js in attempt/ }).locator("td.c");
    await expectSoon(() => linesOf(bold).allTextContents()).toEqual([
      "export const attempts = 1;",
      "export const attempts = 9;",
    ]);
    const careful = cards.filter({ hasText: "Careful" });
    for (const card of await careful.all())
      await expectSoon(() => linesOf(card).last().textContent()).toBe("export const attempts = 3;");
    await expectSoon(() => readFile(join(root, "importer.js"), "utf8")).toBe("export const attempts = 1;\n");
    expect(await axeViolations(app.page)).toEqual([]);
    await picture("compare");
    // A file that is chosen in one is shown in all.
    await careful
      .first()
      .getByRole("button", { name: /sound\.bin/ })
      .click();
    for (const card of await cards.all()) await card.getByText("Added a binary file, 2 bytes.").waitFor();
    await expectSoon(() => bold.getByRole("button", { name: /sound\.bin/ }).getAttribute("aria-pressed")).toBe("true");
    await bold.getByRole("button", { name: /importer\.js/ }).click();
    await linesOf(bold).first().waitFor();
    // Everything an attempt changed, with its decisions, is a click away.
    await careful
      .first()
      .getByRole("button", { name: /^Changes of attempt/ })
      .click();
    const session = await app.shownSession();
    await session.frame.getByRole("complementary", { name: "Changes" }).getByText("importer.js").first().waitFor();
    await picture("changes");
    await app.projects
      .getByRole("button", { name: `More actions for ${TASK}` })
      .first()
      .click();
    await app.page.getByRole("menuitem", { name: "Compare attempts" }).click();
    await app.page.getByRole("heading", { name: "Best of 3" }).waitFor();

    const number = (await bold.locator(".number").textContent()) ?? "";
    await app.page.getByRole("heading", { name: "Best of 3" }).press(number);
    await expectSoon(() => bold.getAttribute("aria-current")).toBe("true");
    await app.page.getByRole("heading", { name: "Best of 3" }).press("Enter");
    const keep = app.page.getByRole("dialog", { name: "Keep the attempt of Bold?" });
    await keep.getByText("The 2 other attempts are archived").waitFor();
    await keep.getByLabel("Commit message").fill("Try nine times");
    expect(await axeViolations(app.page)).toEqual([]);
    await picture("keep");
    await keep.getByRole("button", { name: "Keep this" }).click();
    await keep.waitFor({ state: "hidden" });
    expect(git(root, "log", "--format=%s", "main")).toContain("Try nine times");
    await expectSoon(() => readFile(join(root, "importer.js"), "utf8")).toBe("export const attempts = 9;\n");
    await app.untilRows(TASK);
    await app.page.getByRole("button", { name: "Show archived in shop" }).click();
    await app.page.getByRole("listitem").filter({ hasText: TASK }).nth(2).waitFor();
  },
  COMMANDS_TIMEOUT_MS,
);
