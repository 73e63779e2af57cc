import { expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { stdioMcpServer } from "../agents/lab-mcp-server.ts";
import { axeViolations } from "../e2e/axe-violations.ts";
import { picturesOf } from "../e2e/pictures.ts";
import { useChromium } from "../e2e/use-chromium.ts";
import { expectSoon } from "../support/expect-soon.ts";
import { guideWith, startTestServer } from "../support/test-server.ts";

const chromium = useChromium();
const Program = z.object({ command: z.string(), args: z.array(z.string()) });

/** In the upper half of what is seen of the dialog. */
function isAtTop(part: Element): boolean {
  const top = part.getBoundingClientRect().top;
  return top >= 0 && top < innerHeight / 2;
}

test("[X-34] [X-35] own agents and tool servers are added, tested and changed in a form; the file has them, and the next session uses them", async () => {
  await using server = await startTestServer({ env: { ATLAS_TOKEN: "made-up-token" } });
  await using app = await chromium.open(server);
  const picture = picturesOf(app.page);
  await app.projects.getByRole("button", { name: "Agents", exact: true }).click();
  const page = app.agents;
  await page.getByRole("region", { name: "Tool servers" }).getByText("There are none yet.").waitFor();
  await picture("agents page");
  expect(await axeViolations(app.page)).toEqual([]);

  // The model of the built-in agent is one click away, and Escape leads back.
  const model = page.getByRole("button", { name: "Model of Liminal Guide" });
  await model.click();
  const settings = app.dialog("Settings");
  const part = settings.getByRole("region", { name: "Built-in agent", exact: true });
  await expectSoon(() => part.evaluate(isAtTop)).toBe(true);
  await app.page.keyboard.press("Escape");
  await settings.waitFor({ state: "hidden" });
  await model.and(page.locator(":focus")).waitFor();

  const { command, args = [] } = guideWith();
  await page.getByRole("button", { name: "Own agent" }).click();
  const form = page.getByRole("form", { name: "Own agent" });
  await form.getByRole("textbox", { name: "Name", exact: true }).fill("Second Guide");
  await form.getByRole("textbox", { name: "Command" }).fill("/nowhere/agent");
  await form.getByRole("button", { name: "Test" }).click();
  await form.getByText(/Could not start Second Guide/).waitFor();
  await picture("agent test failed");
  await form.getByRole("textbox", { name: "Command" }).fill(command);
  await form.getByRole("textbox", { name: "Arguments, one per line" }).fill(args.join("\n"));
  await form.getByRole("button", { name: "Add a variable" }).click();
  await form.getByRole("textbox", { name: "Name of variable 1" }).fill("ATLAS");
  await form.getByRole("textbox", { name: "Variable of the server of ATLAS" }).fill("ATLAS_TOKEN");
  await form.getByRole("button", { name: "Test" }).click();
  await form.getByText("Second Guide starts and answers.").waitFor();
  await picture("agent test passed");
  expect(await axeViolations(app.page)).toEqual([]);
  await form.getByRole("button", { name: "Save" }).click();
  await form.waitFor({ state: "hidden" });
  await page.getByRole("listitem").filter({ hasText: "Second Guide" }).getByText("ATLAS", { exact: true }).waitFor();

  const lab = Program.parse(stdioMcpServer("/dev/null"));
  await page.getByRole("button", { name: "New tool server" }).click();
  const tools = page.getByRole("form", { name: "New tool server" });
  await tools.getByRole("textbox", { name: "Name", exact: true }).fill("lab");
  await tools.getByRole("textbox", { name: "Command" }).fill(lab.command);
  await tools.getByRole("textbox", { name: "Arguments, one per line" }).fill(lab.args.join("\n"));
  await tools.getByRole("button", { name: "Test" }).click();
  await tools.getByText("lab_reverse").waitFor();
  await picture("tool server tested");
  await tools.getByRole("button", { name: "Save" }).click();
  await page.getByRole("button", { name: "Edit lab" }).waitFor();
  await expectSoon(() => readFile(join(server.dataDir, "config.json"), "utf8")).toContain('"fromEnv": "ATLAS_TOKEN"');
  await picture("saved");
  await app.page.setViewportSize({ width: 390, height: 800 });
  await app.page.emulateMedia({ colorScheme: "light" });
  await picture("narrow");
  expect(await axeViolations(app.page)).toEqual([]);
  await app.page.setViewportSize({ width: 1_280, height: 800 });

  // No restart: the next session has the agent.
  await app.addProject(await server.directory("demo"));
  const session = await app.newSession("demo", "Second Guide");
  await session.ask("stream 1 words", "w1");
});
