import { expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { liminal } from "../cli/liminal.ts";
import { script, scriptedAgent } from "../integration/scripted-agent.ts";
import { startTalk } from "../integration/talk.ts";
import { startTestServer } from "../support/test-server.ts";
import { axeViolations } from "./axe-violations.ts";
import { picturesOf } from "./pictures.ts";
import { useChromium } from "./use-chromium.ts";

const chromium = useChromium();
const usage = (used: number, amount: number) => ({
  update: { sessionUpdate: "usage_update", used, size: 1_000_000, cost: { amount, currency: "USD" } },
});

test("X-44 usage is a page with a plot, tables and a file, and a command; without any it has a text", async () => {
  const agents = { scripted: { ...scriptedAgent(), name: "Scripted" } };
  await using server = await startTestServer({ agents });
  await using app = await chromium.open(server);
  const picture = picturesOf(app.page);
  await app.projects.getByRole("button", { name: "Usage", exact: true }).click();
  await app.page.getByRole("heading", { name: "Usage", level: 1 }).and(app.page.locator(":focus")).waitFor();
  await app.page.getByText("Nothing was used in this period.").waitFor();
  expect(await axeViolations(app.page)).toEqual([]);
  await picture("empty");

  const talk = await startTalk(server, "scripted");
  await talk.say(script(usage(1_500, 0.5), { end: "end_turn" }));
  await talk.say(script(usage(2_000, 1.25), { end: "end_turn" }));
  await app.page.getByText("7 days", { exact: true }).click();
  await app.page.getByRole("radio", { name: "7 days", checked: true }).waitFor();
  await app.page.getByText("$1.25 cost").waitFor();
  await app.page.getByRole("img", { name: /^Cost per day\. Most on .*: \$1\.25\./ }).waitFor();
  for (const name of ["Per agent", "Per project", "Per account"])
    await app.page.getByRole("table", { name }).getByRole("cell", { name: "$1.25" }).waitFor();
  await app.page.getByRole("table", { name: "Per agent" }).getByRole("rowheader", { name: "Scripted" }).waitFor();
  await app.page.getByRole("combobox", { name: "Measure" }).selectOption("tokens");
  await app.page.getByRole("img", { name: /^Tokens per day\. Most on .*: 2K\./ }).waitFor();
  await app.page.getByText("Days", { exact: true }).click();
  await app.page.getByRole("table", { name: "Days" }).getByRole("cell", { name: "2K" }).waitFor();
  expect(await axeViolations(app.page)).toEqual([]);
  await picture("dark");
  await app.page.emulateMedia({ colorScheme: "light" });

  const saved = app.page.waitForEvent("download");
  await app.page.getByRole("button", { name: "Export CSV" }).click();
  const file = await saved;
  expect(file.suggestedFilename()).toMatch(/^usage-\d{4}-\d\d-\d\d-\d{4}-\d\d-\d\d\.csv$/);
  const [head, row, ...rest] = (await readFile(await file.path(), "utf8")).split("\r\n");
  expect([head, rest]).toEqual(["day,agent,account,project,session,turns,tokens,cost,currency", [""]]);
  expect(row).toMatch(/^\d{4}-\d\d-\d\d,scripted,,[^,]+,scripted:[^,]+,2,2000,1\.25,USD$/);

  const told = await liminal(server, ["usage", "--days", "2", "--by", "agent"]);
  expect(told.stdout).toMatch(/AGENT +SESSIONS +TURNS +TOKENS +COST\nScripted +1 +2 +2,000 +1\.25 USD\n/);
  const csv = await liminal(server, ["usage", "--csv"]);
  expect(csv.stdout.replaceAll("\r", "")).toContain(",2,2000,1.25,USD\n");
  expect((await liminal(server, ["usage", "--days", "0"])).stderr).toContain("from 1 to 366");
});
