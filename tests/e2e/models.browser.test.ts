import { expect, test } from "bun:test";
import type { Locator } from "playwright-core";
import { scriptedAgent } from "../integration/scripted-agent.ts";
import { expectSoon } from "../support/expect-soon.ts";
import { startTestServer } from "../support/test-server.ts";
import { git } from "../workspace/git-scene.ts";
import { axeViolations } from "./axe-violations.ts";
import { picturesOf } from "./pictures.ts";
import { useChromium } from "./use-chromium.ts";

const chromium = useChromium();
const COUNT = 300;
const FINGER_PX = 44;
const MODELS = {
  currentModelId: "m-1",
  availableModels: Array.from({ length: COUNT }, (_one, index) => ({
    modelId: `m-${index + 1}`,
    name: `Model ${index + 1}`,
    ...(index % 3 === 0 && { description: `The one for task ${index + 1}` }),
  })),
};
const MODES = {
  currentModeId: "code",
  availableModes: [
    { id: "code", name: "Code" },
    { id: "plan", name: "Plan" },
  ],
};
const many = {
  ...scriptedAgent({
    answers: { "session/new": { sessionId: "s", models: MODELS, modes: MODES } },
    scripts: { hello: [{ end: "end_turn" }] },
  }),
  name: "Many",
};

/** The list is there, and has the keys. */
async function open(button: Locator, list: Locator): Promise<void> {
  await button.click();
  await list.getByRole("combobox").and(list.locator(":focus")).waitFor();
}

test("[X-60] a model is found among 300 by typing, starred, and first on every screen and device", async () => {
  await using server = await startTestServer({ agents: { many } });
  const root = await server.directory("demo");
  git(root, "init", "-q", "-b", "main");
  git(root, "-c", "user.name=U", "-c", "user.email=u@example.org", "commit", "-q", "--allow-empty", "-m", "first");
  await using app = await chromium.open(server);
  const picture = picturesOf(app.page);
  await app.addProject(root);
  const { frame, message } = await app.newSession("demo", "Many");
  // The page gives it the focus.
  await message.and(frame.locator(":focus")).waitFor();

  // In the composer: type, Enter, and the agent confirms.
  const list = frame.getByRole("dialog", { name: "Model" });
  await open(frame.getByRole("button", { name: "Model: Model 1", exact: true }), list);
  await expectSoon(() => list.getByRole("option").count()).toBe(COUNT);
  await picture("all");
  await app.page.keyboard.type("model 17");
  await expectSoon(() => list.getByRole("option").count()).toBe(13);
  expect(await axeViolations(app.page)).toEqual([]);
  await app.page.keyboard.press("ArrowDown");
  await list.getByRole("option", { name: "Model 117", exact: true, selected: true }).waitFor();
  await app.page.keyboard.press("ArrowUp");
  await list.getByRole("option", { name: "Model 17", exact: true, selected: true }).waitFor();
  await app.page.keyboard.press("Enter");
  const chosen = frame.getByRole("button", { name: "Model: Model 17", exact: true });
  await chosen.and(frame.locator(":focus")).waitFor();
  await list.waitFor({ state: "hidden" });

  // A star by the pointer moves no line; Esc gives the focus back and leaves the session alone.
  await open(chosen, list);
  await list.getByRole("option", { name: "Model 17 last used (chosen)", exact: true, selected: true }).waitFor();
  const row = list.getByRole("option", { name: "Model 20", exact: true });
  await row.getByTitle("Add to favourites").click();
  await list.getByRole("option", { name: "Model 20 (favourite)", exact: true }).waitFor();
  await expectSoon(() => list.getByRole("group", { name: "Favourites" }).count()).toBe(0);
  await app.page.keyboard.press("Escape");
  await chosen.and(frame.locator(":focus")).waitFor();
  await open(chosen, list);
  await list.getByRole("group", { name: "Favourites" }).getByRole("option", { name: "Model 20 (favourite)" }).waitFor();
  await picture("favourite");
  await app.page.keyboard.type("no such");
  await list.getByText("No model has these words.").waitFor();
  await app.page.keyboard.press("Escape");
  await list.waitFor({ state: "hidden" });

  // On the screen of a new session, with the keyboard alone.
  const form = await app.pickAgent("demo");
  await form.getByRole("radio", { name: "Many" }).click();
  const choice = form.getByRole("dialog", { name: "Model of Many" });
  await open(form.getByRole("button", { name: "Model of Many: Model 17", exact: true }), choice);
  await choice
    .getByRole("option")
    .first()
    .and(choice.getByRole("option", { name: "Model 20 (favourite)" }))
    .waitFor();
  await app.page.keyboard.press("Tab");
  await choice.getByRole("button", { name: "Add Model 17 to favourites" }).and(choice.locator(":focus")).waitFor();
  await app.page.keyboard.press("Enter");
  await choice.getByRole("option", { name: "Model 17 last used (chosen, favourite)" }).waitFor();
  await picture("new session");
  expect(await axeViolations(app.page)).toEqual([]);
  await app.page.keyboard.press("Escape");
  await choice.waitFor({ state: "hidden" });

  // On the page of the agents: what is chosen there is what new sessions start with.
  await app.page.keyboard.press("Escape");
  await form.waitFor({ state: "hidden" });
  await app.projects.getByRole("button", { name: "Agents", exact: true }).click();
  const ofAgent = app.agents.getByRole("dialog", { name: "Model of Many" });
  await open(app.agents.getByRole("button", { name: "Model of Many: Model 17", exact: true }), ofAgent);
  await expectSoon(() => ofAgent.getByRole("group", { name: "Favourites" }).getByRole("option").count()).toBe(2);
  await app.page.keyboard.type("299");
  await ofAgent.getByRole("option", { name: "Model 299", exact: true, selected: true }).waitFor();
  await picture("agents page");
  expect(await axeViolations(app.page)).toEqual([]);
  await app.page.keyboard.press("Enter");
  await app.agents.getByRole("button", { name: "Model of Many: Model 299", exact: true }).waitFor();
  await app.agents.getByRole("combobox", { name: "Mode of Many" }).selectOption("Plan");
  await expectSoon(async () => app.sent("agent:choose").length).toBe(2);
  await app.page.keyboard.press("Escape");
  await app.agents.waitFor({ state: "hidden" });
  await app.pickAgent("demo");
  await form.getByRole("radio", { name: "Many" }).click();
  await form.getByRole("button", { name: "Model of Many: Model 299", exact: true }).waitFor();
  await expectSoon(() => form.getByRole("combobox", { name: "Mode of Many" }).inputValue()).toBe("plan");

  // Each attempt of an agent has a model of its own.
  await form.getByRole("button", { name: "Best of N…" }).click();
  const start = app.dialog("Best of N");
  await start.getByLabel("Task").fill("hello");
  const less = start.getByRole("button", { name: /^One less of/, disabled: false });
  while ((await less.count()) > 0) await less.first().click();
  for (const button of [1, 2]) {
    await start.getByRole("button", { name: "One more of Many" }).click();
    await start.getByRole("group", { name: "Attempts of Many" }).getByText(`${button}`, { exact: true }).waitFor();
  }
  const second = start.getByRole("dialog", { name: "Model of Many, attempt 2" });
  await open(start.getByRole("button", { name: "Model of Many, attempt 2: Model 299 (as usual)" }), second);
  await app.page.keyboard.type("300");
  await second.getByRole("option", { name: "Model 300", selected: true }).waitFor();
  await app.page.keyboard.press("Enter");
  await start.getByRole("button", { name: "Model of Many, attempt 2: Model 300" }).waitFor();
  await picture("attempts");
  await start.getByRole("button", { name: "Start 2 attempts" }).click();
  await app.page.getByRole("heading", { name: "Best of 2" }).waitFor();
  const agents = [{ cliType: "many" }, { cliType: "many", model: "m-300" }];
  expect(app.sent("attempts:start")).toMatchObject([{ agents }]);

  // Another device, by finger: the same favourites, first.
  await using phone = await chromium.open(server, { isPhone: true });
  await phone.page.getByRole("button", { name: "Show projects" }).tap();
  const short = await phone.pickAgent("demo");
  await short.getByRole("radio", { name: "Many" }).click();
  await short.getByRole("button", { name: /^Model of Many: / }).tap();
  const touched = short.getByRole("dialog", { name: "Model of Many" });
  const first = touched.getByRole("option").first();
  await first.and(touched.getByRole("option", { name: /^Model 17\b.*favourite/ })).waitFor();
  await picturesOf(phone.page)("phone");
  for (const target of [first, first.getByTitle("Remove from favourites"), touched.getByRole("button")])
    await expectSoon(async () => (await target.boundingBox())?.height ?? 0).toBeGreaterThan(FINGER_PX - 1);
  await first.tap();
  await short.getByRole("button", { name: "Model of Many: Model 17", exact: true }).waitFor();
});
