import { fileURLToPath } from "node:url";
import type { Browser, CDPSession, Locator, Page } from "playwright-core";
import { z } from "zod";
import { launchChromium } from "../../tests/support/chromium.ts";
import { keyWorkMs } from "../measure/key-work.ts";
import { longestTaskMs } from "../measure/longest-task.ts";
import { cpuMs } from "../measure/process-cost.ts";
import { within } from "../measure/wait-until.ts";

const PROBE = fileURLToPath(new URL("../programs/page-probe.js", import.meta.url));
const FRAMES_SAMPLED = 60;
const MS_PER_S = 1_000;
const TASK_CATEGORY = "disabled-by-default-devtools.timeline";
const EVENT_CATEGORY = "devtools.timeline";
const BYTES_PER_MB = 1_000_000;
/** Long enough to be detected on a busy machine, where the page gets only a share of it. */
const BUSY_MS = 300;

const Milliseconds = z.number();
const AllMilliseconds = z.array(z.number());
const FrameReport = z.object({ longestGapMs: z.number(), longFramesMs: z.array(z.number()) });
export type FrameReport = z.infer<typeof FrameReport>;

type Argument = string | number | null;
interface Call {
  readonly method: string;
  readonly args: readonly Argument[];
}

/** One page in a browser of its own, with the probe inside. */
export class ProbedPage implements AsyncDisposable {
  readonly page: Page;
  readonly #browser: Browser;
  readonly #debugger: CDPSession;
  readonly #browserDebugger: CDPSession;
  readonly #typedIn = new Set<string>();

  private constructor(browser: Browser, page: Page, debuggers: { page: CDPSession; browser: CDPSession }) {
    this.#browser = browser;
    this.page = page;
    this.#debugger = debuggers.page;
    this.#browserDebugger = debuggers.browser;
  }

  static async open(url: string): Promise<ProbedPage> {
    const browser = await launchChromium();
    try {
      const page = await browser.newPage();
      await page.addInitScript({ path: PROBE });
      await page.goto(url);
      const session = await page.context().newCDPSession(page);
      await session.send("Performance.enable");
      return new ProbedPage(browser, page, { page: session, browser: await browser.newBrowserCDPSession() });
    } catch (error) {
      await browser.close();
      throw error;
    }
  }

  sessionRow(title: string): Locator {
    const sidebar = this.page.getByRole("navigation", { name: "Projects" });
    const named = { name: title, exact: true };
    return sidebar.getByRole("button", named).or(sidebar.getByRole("treeitem", named));
  }

  tab(title: string): Locator {
    return this.page.getByRole("tablist", { name: "Open sessions" }).getByRole("tab", { name: title, exact: true });
  }

  /** Opens a session without content. */
  async openEmptySession(title: string, sessionId: string): Promise<void> {
    await this.sessionRow(title).click();
    const portlet = this.page.frameLocator(`iframe[data-session-id="${sessionId}"]`);
    await portlet.getByRole("textbox", { name: "Message" }).waitFor();
  }

  async openSession(title: string, sessionId: string, entryId: string): Promise<number> {
    return Milliseconds.parse(await this.#callWith(this.sessionRow(title), "openSession", sessionId, entryId));
  }

  async switchTab(title: string, sessionId: string): Promise<number> {
    return Milliseconds.parse(await this.#callWith(this.tab(title), "switchTab", sessionId));
  }

  async showBox(): Promise<number> {
    return Milliseconds.parse(await this.#call("showBox"));
  }

  async untilText(sessionId: string | null, text: string): Promise<number> {
    return Milliseconds.parse(await this.#call("untilText", sessionId, text));
  }

  async watchStamps(sessionId: string | null): Promise<void> {
    await this.#call("watchStamps", sessionId);
  }

  /** How long each of the next chunks of the stamping agent took to the screen. */
  async takeStamps(count: number): Promise<readonly number[]> {
    return AllMilliseconds.parse(await this.#call("takeStamps", count));
  }

  /** Types into a session's composer: how long each key took to the screen. */
  async typeKeys(sessionId: string, count: number): Promise<readonly number[]> {
    const iframe = await this.page.locator(`iframe[data-session-id="${sessionId}"]`).elementHandle();
    const frame = await iframe?.contentFrame();
    if (!frame) throw new Error(`${sessionId} has no frame`);
    if (!this.#typedIn.has(sessionId)) await frame.evaluate(callProbe, { method: "watchKeys", args: [] });
    this.#typedIn.add(sessionId);
    await frame.getByRole("textbox", { name: "Message" }).focus();
    for (let key = 0; key < count; key++) await this.page.keyboard.press("x");
    const taken = frame.evaluate(callProbe, { method: "takeKeys", args: [count] });
    return AllMilliseconds.parse(await within("the typed keys", taken));
  }

  /** The first paint, and when the matching element was visible, in milliseconds since the navigation began. */
  async sinceStart(selector: string): Promise<{ readonly paintedMs: number; readonly usableMs: number }> {
    const [paintedMs = Number.NaN, usableMs = Number.NaN] = AllMilliseconds.parse(
      await this.#call("sinceStart", selector),
    );
    return { paintedMs, usableMs };
  }

  /** The heap of the page's scripts, all its frames together, after a garbage collection. */
  async heapMb(): Promise<number> {
    await this.#debugger.send("HeapProfiler.collectGarbage");
    const { metrics } = await this.#debugger.send("Performance.getMetrics");
    return (metrics.find(({ name }) => name === "JSHeapUsedSize")?.value ?? Number.NaN) / BYTES_PER_MB;
  }

  async frameIntervals(): Promise<readonly number[]> {
    return AllMilliseconds.parse(await this.#call("frameIntervals", FRAMES_SAMPLED));
  }

  async watchFrames(): Promise<() => Promise<FrameReport>> {
    await this.#call("watchFrames");
    return async () => FrameReport.parse(await this.#call("stopWatching"));
  }

  /** From now on until it is stopped: the longest task of the page's main thread, in the thread's own time. */
  async traceTasks(): Promise<() => Promise<number>> {
    await this.#browser.startTracing(this.page, { categories: [TASK_CATEGORY] });
    return async () => longestTaskMs(await this.#browser.stopTracing());
  }

  /** Types as `typeKeys` does: how long the page's main thread worked for each key, its frame included. */
  async workOfKeys(sessionId: string, count: number): Promise<readonly number[]> {
    await this.#browser.startTracing(this.page, { categories: [TASK_CATEGORY, EVENT_CATEGORY] });
    await this.typeKeys(sessionId, count);
    return keyWorkMs(await this.#browser.stopTracing());
  }

  /** How long the page's main thread has worked, its frames included. */
  async mainThreadMs(): Promise<number> {
    const { metrics } = await this.#debugger.send("Performance.getMetrics");
    return (metrics.find(({ name }) => name === "TaskDuration")?.value ?? Number.NaN) * MS_PER_S;
  }

  /** User and system time of the browser with all its processes. */
  async browserCpuMs(): Promise<number> {
    const { processInfo } = await this.#browserDebugger.send("SystemInfo.getProcessInfo");
    return processInfo.reduce((sum, { cpuTime }) => sum + cpuTime, 0) * MS_PER_S;
  }

  /** The process that runs the page and its frames: the one that works when a script of the page does. */
  async rendererPid(): Promise<number> {
    const { processInfo } = await this.#browserDebugger.send("SystemInfo.getProcessInfo");
    const before = processInfo.filter(({ type }) => type === "renderer").map(({ id }) => ({ id, ms: cpuMs(id) }));
    await this.page.evaluate((untilMs) => {
      const from = performance.now();
      while (performance.now() - from < untilMs);
    }, BUSY_MS);
    const busiest = before.toSorted((one, other) => cpuMs(other.id) - other.ms - (cpuMs(one.id) - one.ms))[0];
    if (!busiest) throw new Error("the page has a process");
    return busiest.id;
  }

  /** Finds the clicked element in advance, so that only the page is measured. */
  async readyToOpen(title: string, sessionId: string, entryId: string): Promise<() => Promise<number>> {
    return this.#ready(this.sessionRow(title), "openSession", sessionId, entryId);
  }

  async readyToSwitch(title: string, sessionId: string): Promise<() => Promise<number>> {
    return this.#ready(this.tab(title), "switchTab", sessionId);
  }

  async #ready(element: Locator, method: string, ...args: readonly Argument[]): Promise<() => Promise<number>> {
    await element.waitFor();
    const found = await element.elementHandle();
    if (!found) throw new Error(`nothing to click for ${method}`);
    return async () => Milliseconds.parse(await within(method, found.evaluate(callProbeWith, { method, args })));
  }

  /** Waits until the page has no deferred work left. */
  async rest(): Promise<void> {
    await this.page.evaluate(() => new Promise((resolve) => requestIdleCallback(resolve)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#browser.close();
  }

  #call(method: string, ...args: readonly Argument[]): Promise<unknown> {
    return within(`${method} in the page`, this.page.evaluate(callProbe, { method, args }));
  }

  async #callWith(element: Locator, method: string, ...args: readonly Argument[]): Promise<unknown> {
    await element.waitFor();
    return within(`${method} in the page`, element.evaluate(callProbeWith, { method, args }));
  }
}

/** Runs in the page. */
function callProbe({ method, args }: Call): unknown {
  const probe = Reflect.get(globalThis, "benchProbe");
  return Reflect.apply(Reflect.get(probe, method), probe, args);
}

/** Runs in the page. */
function callProbeWith(found: unknown, { method, args }: Call): unknown {
  const probe = Reflect.get(globalThis, "benchProbe");
  return Reflect.apply(Reflect.get(probe, method), probe, [found, ...args]);
}
