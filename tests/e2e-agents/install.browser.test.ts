import { expect, test } from "bun:test";
import { startAgent } from "../e2e/app-page.ts";
import { axeViolations } from "../e2e/axe-violations.ts";
import { useChromium } from "../e2e/use-chromium.ts";
import { agentPackage } from "../install/agent-package.ts";
import { LoopbackRegistry } from "../install/loopback-registry.ts";
import { expectSoon } from "../support/expect-soon.ts";
import { startTestServer } from "../support/test-server.ts";

const chromium = useChromium();

/** A machine on which nothing is installed yet, and whose packages come from the test. */
function bareMachine(registry: LoopbackRegistry) {
  const env = { PATH: "/usr/bin:/bin", npm_config_registry: registry.url, LIMINAL_REGISTRY_URL: "off" };
  return startTestServer({ env });
}

test("X-5 an agent is installed from the picker: progress in words, Cancel takes it back, then it is ready and runs", async () => {
  await using registry = new LoopbackRegistry();
  await using server = await bareMachine(registry);
  const { agents } = await (await server.connect()).ask("agent:list", { type: "agent:list" });
  const version = agents.find(({ id }) => id === "codex")?.version ?? "";
  await registry.publish(await agentPackage({ name: "@agentclientprotocol/codex-acp", version }));
  await using app = await chromium.open(server);
  await app.addProject(await server.directory("demo"));
  const picker = await app.pickAgent("demo");
  const row = picker.getByRole("listitem").filter({ hasText: "Codex" });
  const install = picker.getByRole("button", { name: "Install Codex" });
  const held = registry.holdTarballs();
  await install.click();
  await held.arrived;
  await row.getByRole("progressbar", { name: "Installing Codex" }).waitFor();
  expect(await axeViolations(app.page)).toEqual([]);
  await row.getByRole("button", { name: "Cancel installing Codex" }).click();
  await install.waitFor();
  await expectSoon(() => row.getByRole("progressbar").count()).toBe(0);
  await expectSoon(() => row.getByRole("alert").count()).toBe(0);

  held.release();
  await install.click();
  await row.getByText("Ready", { exact: true }).waitFor();
  await startAgent(picker, "Codex");
  await picker.waitFor({ state: "hidden" });
  await (await app.shownSession()).ask("stream 2 words", "w1 w2");

  await app.projects.getByRole("button", { name: "Agents", exact: true }).click();
  const dialog = app.agents;
  await dialog.getByText(`Version ${version}`).waitFor();
  await expectSoon(() => dialog.getByRole("button", { name: /Update/ }).count()).toBe(0);
  await dialog.getByRole("button", { name: "Uninstall Codex" }).click();
  await dialog.getByText(`Version ${version}`).waitFor({ state: "hidden" });
  await app.page.keyboard.press("Escape");
  await app.pickAgent("demo");
  await install.waitFor();
});

test("X-5 TC-5.5a a failed install shows the reason in place, with Retry and other actions; so does a start without one", async () => {
  await using registry = new LoopbackRegistry();
  await using server = await bareMachine(registry);
  await using app = await chromium.open(server);
  await app.addProject(await server.directory("demo"));
  const picker = await app.pickAgent("demo");
  const row = picker.getByRole("listitem").filter({ hasText: "Codex" });
  await picker.getByRole("radio", { name: "Codex", exact: true }).click();
  await picker.getByRole("button", { name: "Install and start" }).click();
  await row.getByRole("alert").waitFor();
  await row.getByText(/Choose Install, or install it yourself/).waitFor();
  await row.getByRole("button", { name: "Retry" }).click();
  await expectSoon(async () => app.sent("agent:install")).toHaveLength(2);
  await row.getByRole("alert").waitFor();
  await expectSoon(() => app.rowTitles()).toEqual([]);
});

test("X-5 the rest of the registry is below, and a field finds an agent in it", async () => {
  await using registry = new LoopbackRegistry();
  await using server = await bareMachine(registry);
  await using app = await chromium.open(server);
  await app.addProject(await server.directory("demo"));
  const picker = await app.pickAgent("demo");
  const more = picker.getByRole("region", { name: "More agents" }).getByRole("listitem");
  const all = await more.count();
  expect(all).toBeGreaterThan(8);
  const filter = picker.getByRole("searchbox", { name: "Filter agents" });
  await filter.fill("gemini GOOGLE");
  await expectSoon(() => more.allInnerTexts()).toEqual([expect.stringContaining("Gemini CLI")]);
  await filter.fill("no such agent");
  await picker.getByText("No matching agents.").waitFor();
  await filter.fill("");
  await expectSoon(() => more.count()).toBe(all);
  await expectSoon(() => picker.getByRole("radio", { name: "Liminal Guide", exact: true }).count()).toBe(1);
});
