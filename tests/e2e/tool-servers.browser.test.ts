import { expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expectSoon } from "../support/expect-soon.ts";
import { startTestServer } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";
import { axeViolations } from "./axe-violations.ts";
import { useChromium } from "./use-chromium.ts";

const chromium = useChromium();

test("O-8 settings show the tool servers of config.json and switch them project by project, in every window", async () => {
  const mcpServers = {
    files: { command: "/opt/files-server", args: ["--key", "made-up-secret"] },
    web: { url: "https://tools.example/mcp?key=made-up-secret", enabled: false },
  };
  await using server = await startTestServer({
    prepare: (dataDir) => writeFile(join(dataDir, "config.json"), JSON.stringify({ mcpServers })),
  });
  await using app = await chromium.open(server);
  await app.addProject(await server.directory("demo"));
  await app.addProject(await server.directory("shop"));
  await app.page.keyboard.press("Control+,");
  const settings = app.dialog("Settings");
  const tools = settings.getByRole("region", { name: "Tool servers" });
  const box = (name: string) => tools.getByRole("checkbox", { name: `Use ${name}` });
  await tools.getByRole("combobox", { name: "In the project" }).selectOption("shop");
  await box("files").waitFor();
  expect([await box("files").isChecked(), await box("web").isChecked()]).toEqual([true, false]);
  await expectSoon(() => tools.textContent()).not.toContain("secret");
  expect(await axeViolations(app.page)).toEqual([]);
  await box("web").focus();
  await app.page.keyboard.press("Space");
  const client = await server.connect();
  const { projects } = await client.ask("project:list", { type: "project:list" });
  const enabledIn = async (name: string) => {
    const projectId = projects.find((project) => project.name === name)?.id ?? "";
    const { servers } = await client.ask("mcp:servers", { type: "mcp:list", projectId });
    return servers.map(({ enabled }) => enabled).join();
  };
  await waitFor(
    () => enabledIn("shop"),
    (all) => all === "true,true",
    "the choice to be kept",
  );
  await expectSoon(() => enabledIn("demo")).toBe("true,false");
  // What is changed elsewhere shows here.
  const shop = projects.find(({ name }) => name === "shop")?.id ?? "";
  await client.ask("mcp:servers", { type: "mcp:choose", projectId: shop, name: "files", enabled: false });
  await waitFor(
    () => box("files").isChecked(),
    (is) => !is,
    "the other window's choice",
  );
  await tools.getByRole("combobox", { name: "In the project" }).selectOption("demo");
  await waitFor(() => box("files").isChecked(), Boolean, "what holds in the other project");
});

test("[X-35] the list beside the settings leads to each part, and without a tool server to the form that adds one", async () => {
  await using server = await startTestServer();
  await using app = await chromium.open(server);
  await app.addProject(await server.directory("demo"));
  await app.page.keyboard.press("Control+,");
  const settings = app.dialog("Settings");
  const parts = settings.getByRole("navigation", { name: "Settings" }).getByRole("link");
  const headings = settings.getByRole("heading", { level: 3 });
  await settings.getByRole("link", { name: "Data", exact: true }).waitFor();
  const sections = await headings.allInnerTexts();
  await expectSoon(() => parts.allInnerTexts()).toEqual(sections);
  await settings.getByRole("link", { name: "Data", exact: true }).click();
  const data = settings.getByRole("heading", { name: "Data", exact: true });
  await data.and(app.page.locator(":focus")).waitFor();
  await expectSoon(() => data.evaluate((heading) => heading.getBoundingClientRect().bottom < innerHeight)).toBe(true);
  await settings.getByRole("button", { name: "Add a tool server…" }).click();
  await app.page.getByRole("heading", { name: "Agents", level: 1 }).waitFor();
  await app.page.getByRole("button", { name: "New tool server" }).waitFor();
});
