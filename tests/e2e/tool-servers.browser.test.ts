import { expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
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
  expect(await tools.textContent()).not.toContain("secret");
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
  expect(await enabledIn("demo")).toBe("true,false");
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
