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

/** A part of the settings, by its heading. */
const partOf =
  (name: string) =>
  ({ app }: GalleryStage): Locator =>
    app.dialog("Settings").getByRole("region", { name, exact: true });
const TOOLS = partOf("Tool servers");
const DEVICES = partOf("Devices");
const DATA = partOf("Data");

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
];
