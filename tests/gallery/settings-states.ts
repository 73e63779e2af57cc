import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Locator } from "playwright-core";
import { z } from "zod";
import type { GalleryStage, GalleryState } from "./gallery-state.ts";

const TOOL_SERVERS = {
  files: { command: "/opt/tools/files-server", args: ["--root", "."] },
  browser: { command: "npx", args: ["browser-tools"], enabled: false },
  tickets: { url: "https://tickets.example/a/rather/long/address/of/a/tool/server/mcp" },
};

const NOTICE_TARGETS = [
  { url: "https://ntfy.example/my-private-topic", format: "ntfy", on: ["asks", "failed", "limit"] },
  // No server listens on this port.
  { url: "http://127.0.0.1:9/builds", format: "json", on: ["failed", "done"], afterMs: 60_000 },
];

/** A part of the settings, by its heading. */
const partOf =
  (name: string) =>
  ({ app }: GalleryStage): Locator =>
    app.dialog("Settings").getByRole("region", { name, exact: true });
const TOOLS = partOf("Tool servers");
const NOTIFICATIONS = partOf("Notifications");
const BUILTIN = partOf("Built-in agent");
const SNIPPETS = partOf("Snippets");
const DEVICES = partOf("Devices");
const PEOPLE = partOf("People");
const TOKENS = partOf("Tokens");
const HOOKS = partOf("Incoming hooks");
const DATA = partOf("Data");

async function keepSnippets({ server }: GalleryStage): Promise<void> {
  const client = await server.connect();
  const body = "Review $ARGUMENTS.\nLook for mistakes, not for style. Say what is missing in the tests.";
  // Several states share a server.
  const { snippets } = await client.ask("snippet:list", { type: "snippet:list" });
  const names = new Set(snippets.map(({ name }): string => name));
  for (const name of ["review", "explain-like-i-am-new-here"].filter((one) => !names.has(one)))
    await client.ask("snippet:list", { type: "snippet:save", name, body });
}

async function openSettings(stage: GalleryStage, part: (stage: GalleryStage) => Locator): Promise<Locator> {
  await stage.app.page.keyboard.press("Control+,");
  await part(stage).waitFor();
  return part(stage);
}

async function pair(stage: GalleryStage): Promise<void> {
  const devices = await openSettings(stage, DEVICES);
  await devices.getByRole("listitem").first().waitFor();
  await devices.getByRole("button", { name: "Pair a device" }).click();
  await devices.getByRole("img", { name: "QR code of the link" }).waitFor();
}

/** The parts of the settings that do not show at once. */
export const SETTINGS_STATES: readonly GalleryState[] = [
  {
    name: "settings-tools",
    shows: "the tool servers that a project gets",
    atTop: TOOLS,
    prepare: (dataDir) => {
      const file = join(dataDir, "config.json");
      const config = z.looseObject({}).parse(JSON.parse(readFileSync(file, "utf8")));
      writeFileSync(file, JSON.stringify({ ...config, mcpServers: TOOL_SERVERS }));
    },
    reach: async (stage) => {
      const tools = await openSettings(stage, TOOLS);
      await tools.getByRole("checkbox", { name: "Use tickets" }).waitFor();
    },
  },
  {
    name: "settings-notices",
    shows: "where notices are sent, one that cannot be reached, and the form for another",
    atTop: NOTIFICATIONS,
    prepare: (dataDir) => {
      const file = join(dataDir, "config.json");
      const config = z.looseObject({}).parse(JSON.parse(readFileSync(file, "utf8")));
      writeFileSync(file, JSON.stringify({ ...config, notify: NOTICE_TARGETS }));
    },
    reach: async (stage) => {
      const part = await openSettings(stage, NOTIFICATIONS);
      await part.getByRole("button", { name: "Test http://127.0.0.1:9/builds" }).click();
      await part.getByText("Could not connect").waitFor();
      await part.getByRole("button", { name: "Add ntfy or webhook" }).click();
      const form = part.getByRole("form", { name: "New target" });
      await form.getByLabel("Address").fill("ntfy.sh/topic");
      await form.getByRole("button", { name: "Save" }).click();
      await form.getByText("Expected an address").waitFor();
    },
  },
  {
    name: "settings-builtin-agent",
    shows: "the model of the built-in agent, saved with its key, and a test that found nobody",
    atTop: BUILTIN,
    prepare: (dataDir) => {
      // No server listens on this port.
      const model = { kind: "openai", url: "http://127.0.0.1:9/v1", model: "qwen3", key: "made-up" };
      writeFileSync(join(dataDir, "builtin-model.json"), JSON.stringify(model), { mode: 0o600 });
    },
    reach: async (stage) => {
      const part = await openSettings(stage, BUILTIN);
      await part.getByPlaceholder("Stored. Enter another to replace it.").waitFor();
      await part.getByLabel("Model", { exact: true }).fill("qwen3-coder:30b");
      await part.getByLabel("Price of input").fill("0.5");
      await part.getByRole("button", { name: "Save" }).click();
      await part.getByText("Enter both prices or none.").waitFor();
      await part.getByLabel("Price of output").fill("1.5");
      await part.getByRole("button", { name: "Save" }).click();
      await part.getByText("Works with qwen3-coder:30b at 127.0.0.1:9.").waitFor();
      await part.getByRole("button", { name: "Test" }).click();
      await part.getByText("Could not connect to 127.0.0.1:9").waitFor();
    },
  },
  {
    name: "settings-devices",
    shows: "a link for a phone, to be scanned",
    server: { env: { LIMINAL_HOST: "0.0.0.0" } },
    hasOwnCertificate: true,
    atTop: DEVICES,
    reach: pair,
  },
  {
    name: "settings-devices-local",
    shows: "a link that only this machine can open",
    atTop: DEVICES,
    reach: pair,
  },
  {
    name: "settings-people",
    shows:
      "people with their roles, an invitation for one of them, the question before one is removed, and the form for another",
    atTop: PEOPLE,
    reach: async (stage) => {
      const people = await openSettings(stage, PEOPLE);
      for (const [name, role] of [
        ["Mia Anders", "Member"],
        ["A colleague with a rather long name who looks", "Viewer"],
      ] as const) {
        await people.getByRole("button", { name: "Add a person" }).click();
        await people.getByRole("textbox", { name: "Name" }).fill(name);
        await people.getByRole("button", { name: "Add", exact: true }).click();
        await people.getByLabel(`Role of ${name} in`).first().selectOption({ label: role });
      }
      await people.getByRole("button", { name: "A colleague with a rather long name who looks: Remove" }).click();
      await people.getByRole("group", { name: "Remove A colleague" }).waitFor();
      await people.getByRole("button", { name: "Mia Anders: Invite" }).click();
      await people.getByRole("img", { name: "QR code of the link" }).waitFor();
      await people.getByRole("button", { name: "Add a person" }).click();
      await people.getByRole("button", { name: "Add", exact: true }).click();
      await people.getByText("Enter a name").waitFor();
    },
  },
  {
    name: "settings-tokens",
    shows: "tokens of programs, one of them new, and the form for another",
    atTop: TOKENS,
    reach: async (stage) => {
      const tokens = await openSettings(stage, TOKENS);
      for (const [name, scope] of [
        ["Nightly build", "read"],
        ["Chat bot of the team", "act"],
      ] as const) {
        await tokens.getByRole("button", { name: "New token" }).click();
        const form = tokens.getByRole("form", { name: "New token" });
        await form.getByLabel("Name").fill(name);
        await form.getByLabel("May do").selectOption(scope);
        await form.getByRole("button", { name: "Create" }).click();
        await tokens.getByText(`This is the token “${name}”`).waitFor();
      }
      await tokens.getByRole("button", { name: "New token" }).click();
      await tokens.getByRole("form", { name: "New token" }).getByRole("button", { name: "Create" }).click();
      await tokens.getByText("Enter a name").waitFor();
    },
  },
  {
    name: "settings-hooks",
    shows: "hooks that start prompts: one that was called, a new one with its secret, and the form for another",
    atTop: HOOKS,
    reach: async (stage) => {
      const hooks = await openSettings(stage, HOOKS);
      const form = hooks.getByRole("form", { name: "New hook" });
      for (const [name, text] of [
        ["failed-build", "Find out why this build failed, and mend it: {{body}}"],
        ["new-issue", "Sort this issue, and answer it if it is a question.\n{{body}}"],
      ] as const) {
        await hooks.getByRole("button", { name: "New hook" }).click();
        await form.getByLabel("Name in the address").fill(name);
        await form.getByLabel("Agent").selectOption("Liminal Guide");
        await form.getByLabel("Text").fill(text);
        await form.getByRole("button", { name: "Create" }).click();
        await hooks.getByRole("listitem", { name }).waitFor();
        await hooks.locator("code", { hasText: `/hooks/${name}` }).waitFor();
      }
      await hooks.getByRole("button", { name: "Test failed-build" }).click();
      await hooks.getByRole("list", { name: "Calls of failed-build" }).getByRole("button").waitFor();
      await hooks.getByRole("button", { name: "New hook" }).click();
      await form.getByRole("button", { name: "Create" }).click();
      await form.getByText("Enter a name of small letters").waitFor();
    },
  },
  {
    name: "settings-data",
    shows: "a backup that was made",
    atTop: DATA,
    reach: async (stage) => {
      const data = await openSettings(stage, DATA);
      await data.getByRole("button", { name: "Back up now" }).click();
      await data.getByRole("status").filter({ hasText: "sessions in" }).waitFor();
    },
  },
  {
    name: "settings-delete",
    shows: "everything about to be deleted, with the words that confirm it",
    atTop: DATA,
    reach: async (stage) => {
      const data = await openSettings(stage, DATA);
      await data.getByRole("button", { name: "Delete…" }).click();
      await data.getByLabel(/To confirm, type/).fill("delete everything");
    },
  },
  {
    name: "snippets",
    shows: "the snippets in the settings",
    atTop: SNIPPETS,
    reach: async (stage) => {
      await keepSnippets(stage);
      const part = await openSettings(stage, SNIPPETS);
      await part.getByRole("button", { name: "Edit /review" }).waitFor();
    },
  },
  {
    name: "snippet-dialog",
    shows: "a snippet that is being changed",
    reach: async (stage) => {
      await keepSnippets(stage);
      const part = await openSettings(stage, SNIPPETS);
      await part.getByRole("button", { name: "Edit /review" }).click();
      await stage.app.dialog("Edit /review").getByLabel("Text").waitFor();
    },
  },
];
