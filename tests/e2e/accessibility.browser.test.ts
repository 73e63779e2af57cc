import { expect, test } from "bun:test";
import { expectSoon } from "../support/expect-soon.ts";
import { startTestServer } from "../support/test-server.ts";
import { axeViolations } from "./axe-violations.ts";
import { useChromium } from "./use-chromium.ts";

const NARROW = { width: 360, height: 640 };

const chromium = useChromium();

test("X-15 axe finds nothing in a narrow window, with the drawer shut and open", async () => {
  await using server = await startTestServer();
  const client = await server.connect();
  const { project } = await client.ask("project:added", { type: "project:add", path: await server.directory("demo") });
  await client.ask("session:created", { type: "session:create", projectId: project.id, cliType: "builtin" });
  await using app = await chromium.open(server, { viewport: NARROW });
  await app.page.getByText("No session open").waitFor();
  expect(await axeViolations(app.page)).toEqual([]);
  await app.page.getByRole("button", { name: "Show projects" }).click();
  await app.row("New Session").waitFor();
  expect(await axeViolations(app.page)).toEqual([]);
  const session = await app.open("New Session");
  await session.ask("help", "Try these first");
  expect(await axeViolations(app.page)).toEqual([]);
  await expectSoon(() => app.page.evaluate<number>("document.documentElement.scrollWidth")).toBeLessThanOrEqual(
    NARROW.width,
  );
});
