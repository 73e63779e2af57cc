import { expect, test } from "bun:test";
import type { Locator } from "playwright-core";
import type { AppPage } from "../e2e/app-page.ts";
import { axeViolations } from "../e2e/axe-violations.ts";
import type { SessionView } from "../e2e/session-view.ts";
import { useChromium } from "../e2e/use-chromium.ts";
import { pageLoginAgent, LOGIN_PAGE as SIGN_IN_PAGE } from "../lifecycle/page-login-agent.ts";
import { expectSoon } from "../support/expect-soon.ts";
import { tempDir } from "../support/temp-dir.ts";
import { guideWith, startTestServer } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";
import { LOGIN_PAGE, PASSWORD, terminalLoginAgent } from "./terminal-login-agent.ts";

const locked = { ...guideWith("--scenario", "auth-required"), name: "Locked", retryMs: [] };

const chromium = useChromium();

const agentButton = (place: Locator, name: string) => place.getByRole("button", { name, exact: true });

/** The content of the terminal, as a screen reader gets it. */
function untilShown(terminal: Locator, text: string): Promise<string> {
  return waitFor(
    async () => ((await terminal.locator(".xterm-accessibility-tree").textContent()) ?? "").replaceAll(/\s+/g, " "),
    (seen) => seen.includes(text),
    `"${text}" in the terminal`,
  );
}

/** Starts a session of an agent that asks for a sign-in, and opens the ways to do that. */
async function startSignedOut(app: AppPage, name: string): Promise<{ session: SessionView; dialog: Locator }> {
  const session = await app.newSession("demo", name);
  await session.button("Sign in").click();
  const dialog = app.dialog(`Sign in to ${name}`);
  await dialog.waitFor();
  return { session, dialog };
}

/** Starts the agent that asks for a login, and takes its way through a terminal. */
async function openTerminal(app: AppPage): Promise<{ session: SessionView; dialog: Locator }> {
  const { session, dialog } = await startSignedOut(app, "Gatekeeper");
  await agentButton(dialog, "Log in with a password").click();
  return { session, dialog };
}

test("TC-2.2b an agent that wants a sign-in offers its own methods, and the session starts by itself after it", async () => {
  await using server = await startTestServer({ agents: { locked } });
  await using app = await chromium.open(server);
  await app.addProject(await server.directory("demo"));
  const { session, dialog } = await startSignedOut(app, "Locked");
  await agentButton(dialog, "Sign in to the guide").waitFor();
  expect(await axeViolations(app.page)).toEqual([]);
  await dialog.getByText("Needs nothing: it only shows what signing in looks like.").waitFor();
  await app.page.keyboard.press("Escape");
  await dialog.waitFor({ state: "hidden" });
  expect(await axeViolations(app.page)).toEqual([]);

  const picker = await app.pickAgent("demo");
  await agentButton(picker, "Sign in to Locked").click();
  await agentButton(picker, "Sign in to the guide").click();
  await picker.waitFor({ state: "hidden" });
  await (await app.shownSession()).ask("stream 1 words", "w1");
  // The one that was started before the sign-in is there, too.
  await (await app.open("New Session")).untilStatus("connected");
  expect(session.id).toBe((await app.shownSession()).id);
  expect(app.sent("agent:authenticate")).toMatchObject([{ cliType: "locked", methodId: "guide-sign-in" }]);
});

test("X-5 [X-34] a page to sign in on is shown in full, only the user opens it, and the account is switched and left on the agents page", async () => {
  await using server = await startTestServer({ agents: { web: pageLoginAgent() } });
  await using app = await chromium.open(server);
  await app.addProject(await server.directory("demo"));
  // The page is not ours to load here; what counts is that the browser is sent there by the click and not before.
  await app.page.evaluate(() => {
    const opened: string[] = [];
    Object.assign(window, { opened, open: (url: string) => void opened.push(url) });
  });
  const opened = () => app.page.evaluate(() => Reflect.get(window, "opened"));
  const { session, dialog } = await startSignedOut(app, "Page Login");
  await agentButton(dialog, "In the browser").click();
  const consent = app.dialog("Page Login asks you to open a page");
  await consent.getByText(SIGN_IN_PAGE, { exact: true }).waitFor();
  await consent.getByText("login.example.com", { exact: true }).waitFor();
  expect(await axeViolations(app.page)).toEqual([]);
  await expectSoon(() => opened()).toEqual([]);
  await agentButton(consent, "Open page").click();
  await consent.waitFor({ state: "hidden" });
  await dialog.waitFor({ state: "hidden" });
  await expectSoon(() => opened()).toEqual([SIGN_IN_PAGE]);
  await session.untilStatus("connected");

  // On the agents page: in with another account, and out.
  await app.projects.getByRole("button", { name: "Agents", exact: true }).click();
  const row = app.agents.getByRole("listitem").filter({ hasText: "Page Login" });
  await agentButton(row, "Switch the account of Page Login").click();
  await agentButton(dialog, "In the browser").click();
  await agentButton(consent, "Open page").click();
  await dialog.waitFor({ state: "hidden" });
  await expectSoon(() => opened()).toEqual([SIGN_IN_PAGE, SIGN_IN_PAGE]);
  await agentButton(row, "Sign out of Page Login").click();
  await agentButton(row, "Sign in to Page Login").waitFor();
  await expectSoon(() => row.getByRole("button", { name: /^(?:Sign out|Switch)/ }).count()).toBe(0);
  expect(await axeViolations(app.page)).toEqual([]);
  await agentButton(row, "Sign in to Page Login").click();
  await agentButton(dialog, "In the browser").click();
  await agentButton(consent, "Open page").click();
  await dialog.waitFor({ state: "hidden" });
  await agentButton(row, "Sign out of Page Login").waitFor();
});

test("X-5 a login in a terminal: real keys, real size, its exit code when it fails, the session when it succeeds", async () => {
  await using dir = await tempDir();
  await using server = await startTestServer({ agents: { gatekeeper: terminalLoginAgent(dir.join("login")) } });
  await using app = await chromium.open(server);
  await app.addProject(await server.directory("demo"));
  const { session, dialog } = await openTerminal(app);
  await untilShown(dialog, "Password:");
  expect(await axeViolations(app.page)).toEqual([]);
  await app.page.keyboard.type("wrong");
  await untilShown(dialog, "wrong");
  await app.page.keyboard.press("Escape");
  await app.page.keyboard.press("Control+u");
  await app.page.keyboard.type("no idea");
  await app.page.keyboard.press("Enter");
  await dialog.getByText(/exit code 3/).waitFor();
  await untilShown(dialog, "That is not the password.");
  expect(await axeViolations(app.page)).toEqual([]);

  await dialog.getByRole("button", { name: "Try again" }).click();
  await dialog.getByText(/exit code/).waitFor({ state: "hidden" });
  await untilShown(dialog, "Password:");
  await app.page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await app.page.evaluate((text) => navigator.clipboard.writeText(text), PASSWORD);
  await app.page.keyboard.press("Control+v");
  await untilShown(dialog, PASSWORD);
  await app.page.keyboard.press("Enter");
  await dialog.waitFor({ state: "hidden" });
  await session.untilStatus("connected");
  await session.ask("stream 1 words", "w1");
  await app.untilTabs("stream 1 words");
});

test("a terminal fits its dialog, its addresses can be opened, and leaving it ends the program and goes back", async () => {
  await using dir = await tempDir();
  await using server = await startTestServer({ agents: { gatekeeper: terminalLoginAgent(dir.join("login")) } });
  await using app = await chromium.open(server, { viewport: { width: 1_000, height: 700 } });
  await app.addProject(await server.directory("demo"));
  const { dialog } = await openTerminal(app);
  await untilShown(dialog, "Password:");
  const isLogin = ({ commandLine }: { commandLine: string }) => commandLine.includes("--login");
  expect(server.agentProcesses().filter(isLogin)).toHaveLength(1);
  const wide = await waitFor(
    () => Number(app.sent("terminal:resize").at(-1)?.["columns"]),
    (columns) => columns > 0,
    "the size of the terminal to be told",
  );
  await app.page.setViewportSize({ width: 420, height: 700 });
  await waitFor(
    () => Number(app.sent("terminal:resize").at(-1)?.["columns"]),
    (columns) => columns < wide,
    "fewer columns in a narrow window",
  );

  await app.page.context().route("https://login.example/**", (route) => route.fulfill({ body: "welcome" }));
  const opened = app.page.context().waitForEvent("page");
  // The address is a link once it is drawn in the narrow window and the pointer moves over it.
  await waitFor(
    async () => {
      await app.page.mouse.move(...(await pointIn(dialog, 20, 25)));
      await app.page.mouse.move(...(await pointIn(dialog, 100, 25)));
      return dialog.locator(".xterm-cursor-pointer").count();
    },
    (count) => count > 0,
    "the address to be a link",
  );
  await app.page.mouse.click(...(await pointIn(dialog, 100, 25)));
  expect((await opened).url()).toBe(LOGIN_PAGE);
  await (await opened).close();

  await app.page.keyboard.press("F6");
  await app.page.keyboard.press("Enter");
  await agentButton(dialog, "Log in with a password").waitFor();
  await waitFor(
    () => server.agentProcesses().filter(isLogin),
    (left) => left.length === 0,
    "the login to end",
  );
});

async function pointIn(dialog: Locator, x: number, y: number): Promise<[number, number]> {
  const box = await dialog.locator(".xterm-screen").boundingBox();
  return [(box?.x ?? 0) + x, (box?.y ?? 0) + y];
}

test("a session whose agent needs a new sign-in offers it beside the text, and continues automatically after it", async () => {
  await using server = await startTestServer({ agents: { locked } });
  await using app = await chromium.open(server);
  await app.addProject(await server.directory("demo"));
  const { session, dialog } = await startSignedOut(app, "Locked");
  await agentButton(dialog, "Sign in to the guide").click();
  await dialog.waitFor({ state: "hidden" });
  await session.untilStatus("connected");
  await session.ask("stream 1 words", "w1");

  await app.projects.getByRole("button", { name: "Agents", exact: true }).click();
  await app.agents.getByRole("button", { name: "Restart Locked" }).click();
  await app.agents.getByText("1 restart").waitFor();
  await app.page.keyboard.press("Escape");
  // The page reads the process by itself: the session may be told a moment later that its agent is back.
  await session.untilStatus("connected");
  await session.say("stream 2 words");
  await session.transcript.getByRole("button", { name: "Sign in", exact: true }).click();
  await dialog.getByRole("button", { name: "Sign in to the guide" }).click();
  await dialog.waitFor({ state: "hidden" });
  await session.untilSaid("w1 w2");
  await expectSoon(() => session.entries("user").count()).toBe(2);
  await expectSoon(() => session.transcript.getByRole("button", { name: "Sign in", exact: true }).count()).toBe(0);
});
