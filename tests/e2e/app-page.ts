import type { Browser, BrowserContext, Locator, Page } from "playwright-core";
import { z } from "zod";
import type { TestServer } from "../support/test-server.ts";
import { DEADLINE_MS, waitFor } from "../support/wait-for.ts";
import { SessionView } from "./session-view.ts";

const VIEWPORT = { width: 1_280, height: 800 };
const PHONE = { width: 390, height: 844 };
/** Runs in every frame before anything else: violations of the policy are reported like errors of the page. */
const WATCH_POLICY = `document.addEventListener("securitypolicyviolation", ({ effectiveDirective, blockedURI, sample }) =>
  console.error("policy violated:", effectiveDirective, blockedURI, sample))`;
export const GUIDE = "Liminal Guide";
/** The browser's own message about a refused request. */
const REFUSED = /Failed to load resource: the server responded with a status of 4\d\d/;
/** The browser's own message when another program of this machine made or removed a network interface: it ends requests. */
const OTHER_NETWORK = /net::ERR_NETWORK_CHANGED/;
/** The browser's own message about an unreachable server. */
const AWAY =
  /WebSocket connection to .* failed|Failed to load resource: (?:net::ERR_|the server responded with a status of 50[38])/;

const KeptTabs = z.object({
  openTabs: z.array(z.string()),
  activeTab: z.string().nullable(),
  tabOrder: z.array(z.string()),
});
const SentFrame = z.looseObject({ type: z.string() });
type SentFrame = z.infer<typeof SentFrame>;

export interface OpenOptions {
  readonly viewport?: { readonly width: number; readonly height: number };
  /** Of "system", `page.emulateMedia` can change it while the page is open. */
  readonly theme?: "dark" | "light" | "system";
  /** The server is going to be away for a while: that the browser notices is no problem of the page's. */
  readonly losesServer?: boolean;
  /** The server is going to refuse something over HTTP: that the browser notes it is no problem of the page's. */
  readonly isRefused?: boolean;
  /** The server shows a certificate that it made itself, which a person would have to accept. */
  readonly acceptsCertificate?: boolean;
  /** Signs in by this pairing link instead of the server's own address. */
  readonly pairingLink?: string;
  /** Signs in on the sign-in page instead, in a way of its own. */
  readonly signsIn?: (page: Page) => Promise<void>;
  /** How the browser names itself: the page asks it for the kind of keyboard. */
  readonly userAgent?: string;
  /** A phone: narrow, touched, and with the page's service worker, which other tests do without. */
  readonly isPhone?: boolean;
  /** Device pixels per pixel of the page. */
  readonly deviceScaleFactor?: number;
  /** A browser profile that is already in use: another window of it. */
  readonly besides?: AppPage;
  /** Receives errors of the page; without it, closing the page throws. */
  readonly onProblem?: (words: string) => void;
}

/** `await using app = await openApp(browser, server)`: signed in, in a profile of its own. */
export async function openApp(browser: Browser, server: TestServer, options: OpenOptions = {}): Promise<AppPage> {
  const context = options.besides?.page.context() ?? (await newContext(browser, options));
  const app = new AppPage(await context.newPage(), options);
  const address = options.signsIn ? `${server.origin}/sign-in` : (options.pairingLink ?? server.url);
  await load(() => app.page.goto(address));
  await options.signsIn?.(app.page);
  if (options.pairingLink !== undefined) await app.page.getByRole("button", { name: "Pair this device" }).click();
  await app.untilListed();
  return app;
}

async function newContext(browser: Browser, options: OpenOptions): Promise<BrowserContext> {
  const { isPhone = false, theme, userAgent, acceptsCertificate = false, deviceScaleFactor } = options;
  const { viewport = isPhone ? PHONE : VIEWPORT } = options;
  const context = await browser.newContext({
    viewport,
    serviceWorkers: isPhone ? "allow" : "block",
    ...(isPhone && { hasTouch: true, isMobile: true, deviceScaleFactor: 2 }),
    ...(deviceScaleFactor !== undefined && { deviceScaleFactor }),
    reducedMotion: "reduce",
    ignoreHTTPSErrors: acceptsCertificate,
    ...(userAgent && { userAgent }),
  });
  context.setDefaultTimeout(DEADLINE_MS);
  await context.addInitScript(WATCH_POLICY);
  if (theme) await context.addInitScript(`localStorage.setItem("liminal:theme", "${theme}")`);
  return context;
}

/** The page as a person meets it: found by its landmarks, never by its classes. */
export class AppPage implements AsyncDisposable {
  readonly page: Page;
  readonly #sent: SentFrame[] = [];
  readonly #problems: string[] = [];
  /** Something that the page loads was cut off by the machine. */
  #isCutOff = false;

  constructor(page: Page, { losesServer = false, isRefused = false, signsIn, onProblem }: OpenOptions) {
    this.page = page;
    const expected = [OTHER_NETWORK, ...(losesServer ? [AWAY] : []), ...(isRefused ? [REFUSED] : [])];
    watchPage(page, expected, signsIn !== undefined, onProblem ?? ((words) => this.#problems.push(words)));
    page.on("console", (message) => {
      this.#isCutOff ||= OTHER_NETWORK.test(message.text());
    });
    page.on("websocket", (socket) =>
      socket.on("framesent", ({ payload }) => {
        const frame = SentFrame.parse(JSON.parse(String(payload)));
        // The connection's own: it asks for a sign of life whenever the server is silent for a while.
        if (frame.type !== "ping") this.#sent.push(frame);
      }),
    );
  }

  /** What this page has sent to the server so far, of these types or of all; without the pings of its connection. */
  sent(...types: readonly string[]): readonly SentFrame[] {
    return this.#sent.filter(({ type }) => types.length === 0 || types.includes(type));
  }

  get projects(): Locator {
    return this.page.getByRole("navigation", { name: "Projects" });
  }

  /** Resolves when every project and session has loaded; also in a closed drawer. */
  async untilListed(): Promise<void> {
    await waitFor(
      async () => {
        if (this.#isCutOff) await this.#reload();
        return this.page.locator("nav[aria-label=Projects][aria-busy=false]").count();
      },
      (count) => count > 0,
      "the projects and sessions to be listed",
    );
  }

  dialog(name: string): Locator {
    return this.page.getByRole("dialog", { name, exact: true });
  }

  /** The page about agents. */
  get agents(): Locator {
    return this.page.locator(".agents-page");
  }

  /** The row of a project, which folds it. */
  project(name: string): Locator {
    return this.projects.locator("[aria-expanded]").getByText(name, { exact: true });
  }

  projectNames(): Promise<string[]> {
    return namesAfter(this.projects, "New session in ");
  }

  /** A session's row, named by its title alone. */
  row(title: string): Locator {
    const named = { name: title, exact: true };
    return this.projects.getByRole("button", named).or(this.projects.getByRole("treeitem", named));
  }

  /** The titles of the session rows, from top to bottom. */
  rowTitles(): Promise<string[]> {
    return namesAfter(this.projects, "Archive ");
  }

  tab(title: string): Locator {
    return this.page.getByRole("tablist", { name: "Open sessions" }).getByRole("tab", { name: title, exact: true });
  }

  get activeTab(): Locator {
    return this.page.getByRole("tab", { selected: true });
  }

  /** The titles of the open tabs, in their order. */
  tabTitles(): Promise<string[]> {
    return namesAfter(this.page.locator("body"), "Close ", "Close terminal ");
  }

  async untilTabs(...titles: readonly string[]): Promise<void> {
    await waitFor(
      () => this.tabTitles(),
      (seen) => Bun.deepEquals(seen, titles),
      `the tabs ${titles.join(", ")}`,
    );
  }

  async untilRows(...titles: readonly string[]): Promise<void> {
    await waitFor(
      () => this.rowTitles(),
      (seen) => Bun.deepEquals(seen, titles),
      `the rows ${titles.join(", ")}`,
    );
  }

  /** Waits until the row of a session has this state, as it is read aloud. */
  async untilRowSays(title: string, words: string | RegExp): Promise<void> {
    await waitFor(
      async () => (await this.row(title).getAttribute("aria-description")) ?? "",
      (seen) => (typeof words === "string" ? seen.includes(words) : words.test(seen)),
      `the row "${title}" to say "${words}"`,
    );
  }

  /** Waits until the window is called so. */
  async untilWindowTitle(title: RegExp): Promise<void> {
    await waitFor(
      () => this.page.title(),
      (seen) => title.test(seen),
      `the window's title to be like ${title}`,
    );
  }

  /** What the browser keeps of the tabs. */
  async keptTabs(): Promise<z.infer<typeof KeptTabs>> {
    return KeptTabs.parse(JSON.parse(await this.page.evaluate<string>(`localStorage.getItem("liminal:tabs")`)));
  }

  async addProject(path: string): Promise<void> {
    await this.projects.getByRole("button", { name: "Add project", exact: true }).click();
    await this.dialog("Add project").getByRole("textbox", { name: "Directory" }).fill(path);
    await this.page.keyboard.press("Enter");
    await this.dialog("Add project").waitFor({ state: "hidden" });
  }

  /** Removes a project from the list, and confirms it. */
  async removeProject(name: string): Promise<void> {
    await this.projects.getByRole("button", { name: `Remove ${name}`, exact: true }).click();
    await this.page
      .getByRole("dialog")
      .getByRole("button", { name: /^Remove/ })
      .click();
    await this.project(name).waitFor({ state: "detached" });
  }

  async archive(title: string): Promise<void> {
    await this.projects.getByRole("button", { name: `Archive ${title}`, exact: true }).click();
  }

  async closeTab(title: string): Promise<void> {
    await this.page.getByRole("button", { name: `Close ${title}`, exact: true }).click();
  }

  /** Opens the picker of a project. */
  async pickAgent(project: string): Promise<Locator> {
    await this.projects.getByRole("button", { name: `New session in ${project}`, exact: true }).click();
    const picker = this.dialog("New session");
    await picker.waitFor();
    return picker;
  }

  /** A new session by hand, in the project itself; returns when its composer is there. */
  async newSession(project: string, agent = GUIDE): Promise<SessionView> {
    const picker = await this.pickAgent(project);
    // Where another session works, a worktree is chosen before.
    await picker.getByRole("radio", { name: /^In the project/ }).click();
    await startAgent(picker, agent);
    await picker.waitFor({ state: "hidden" });
    return this.#focusedSession();
  }

  /** The session that is in view. */
  async shownSession(): Promise<SessionView> {
    const iframe = this.page.locator("iframe[data-session-id]:visible");
    const id = await iframe.getAttribute("data-session-id");
    if (id === null) throw new Error("the frame in view has no session");
    const view = new SessionView(this.page, id);
    await view.message.waitFor();
    return view;
  }

  /** Opens a session from the sidebar. */
  async open(title: string): Promise<SessionView> {
    await this.row(title).click();
    await this.tab(title).and(this.activeTab).waitFor();
    return this.#focusedSession();
  }

  /**
   * The session in view, once the page has given it the keyboard: that happens an animation frame after it is shown, or
   * when its frame has loaded, and would take the focus from whatever a test has focused meanwhile. A touched page
   * gives none: its on-screen keyboard would cover the session.
   */
  async #focusedSession(): Promise<SessionView> {
    const view = await this.shownSession();
    if (await this.page.evaluate<boolean>(`matchMedia("(pointer: coarse)").matches`)) return view;
    await waitFor(() => view.hasKeyboard(), Boolean, "the session to have the keyboard");
    return view;
  }

  async refresh(): Promise<void> {
    await this.#reload();
    await this.untilListed();
  }

  async #reload(): Promise<void> {
    this.#isCutOff = false;
    await load(() => this.page.reload());
  }

  /** Closes the window, and with the last window the profile. */
  async [Symbol.asyncDispose](): Promise<void> {
    const context = this.page.context();
    await this.page.close();
    if (context.pages().length === 0) await context.close();
    if (this.#problems.length > 0) throw new Error(`Things went wrong in the page:\n${this.#problems.join("\n")}`);
  }
}

/** A page that the machine has cut off from its server while it came is loaded again. */
async function load(navigate: () => Promise<unknown>): Promise<void> {
  const isThere = () =>
    navigate().then(
      () => true,
      (reason: unknown) => {
        if (OTHER_NETWORK.test(String(reason))) return false;
        throw reason;
      },
    );
  await waitFor(isThere, Boolean, "the page to load");
}

/** Chooses an agent in the form of a new session and starts it. */
export async function startAgent(picker: Locator, agent = GUIDE): Promise<void> {
  await picker.getByRole("radio", { name: agent, exact: true }).click();
  await picker.getByRole("button", { name: "Start", exact: true }).click();
}

/** Notes what no page of ours may ever do. `leaves`: the person goes to another site and back. */
function watchPage(page: Page, expected: readonly RegExp[], leaves: boolean, onProblem: (words: string) => void): void {
  page.on("console", (message) => {
    const isExpected = expected.some((words) => words.test(message.text()));
    if (message.type() === "error" && !isExpected) onProblem(message.text());
  });
  page.on("pageerror", ({ message }) => onProblem(message));
  page.on("request", (request) => {
    const { origin, protocol } = new URL(request.url());
    const isVisit = page.url() === "about:blank" || (leaves && request.isNavigationRequest());
    const isOwn = isVisit || origin === new URL(page.url()).origin;
    if (protocol.startsWith("http") && !isOwn) onProblem(`asked a stranger: ${request.url()}`);
  });
  page.on("dialog", (dialog) => {
    onProblem(`a script opened a dialog: ${dialog.message()}`);
    return dialog.dismiss();
  });
}

/** Buttons name their object: the text after the prefix in their names, in document order. */
function namesAfter(place: Locator, prefix: string, otherThan = " "): Promise<string[]> {
  return place
    .locator(`button[aria-label^="${prefix}"]:not([aria-label^="${otherThan}"])`)
    .evaluateAll(
      (buttons, length) => buttons.map((button) => String(button.getAttribute("aria-label")).slice(length)),
      prefix.length,
    );
}
