import { expect, test } from "bun:test";
import { startTestServer } from "../support/test-server.ts";
import { GUIDE } from "./app-page.ts";
import { axeViolations } from "./axe-violations.ts";
import { useChromium } from "./use-chromium.ts";

const chromium = useChromium();

test("X-15 the first minute: something to do is chosen, a directory is asked for, and the built-in agent works", async () => {
  await using server = await startTestServer();
  await using app = await chromium.open(server);
  await app.page.getByRole("heading", { name: "Give it something to do" }).waitFor();
  expect(await axeViolations(app.page)).toEqual([]);
  await app.page.getByRole("button", { name: /Tell me what you can do/ }).click();
  await app
    .dialog("Add project")
    .getByRole("textbox", { name: "Directory" })
    .fill(await server.directory("demo"));
  await app.page.keyboard.press("Enter");
  const session = await app.shownSession();
  await session.untilSaid("Try these first");
});

test("X-15 the first minute: an agent is picked, and its session opens in the project that was chosen", async () => {
  await using server = await startTestServer();
  await using app = await chromium.open(server);
  await app.page.getByRole("button", { name: "Choose a directory" }).click();
  await app
    .dialog("Add project")
    .getByRole("textbox", { name: "Directory" })
    .fill(await server.directory("demo"));
  await app.page.keyboard.press("Enter");
  await app.dialog("Add project").waitFor({ state: "hidden" });
  await app.page.getByRole("button", { name: `Start with ${GUIDE}` }).click();
  const session = await app.shownSession();
  await session.ask("help", "Try these first");
});
