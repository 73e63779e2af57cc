import type { FrameLocator, Locator, Page } from "playwright-core";
import { waitFor } from "../support/wait-for.ts";

/** Text that was in one place for so many animation frames has come to rest. */
const FRAMES_AT_REST = 10;

type EntryType = "user" | "assistant" | "thinking" | "tool-call" | "plan" | "notice" | "changes";

/** The text a person sees there, hidden words for screen readers included, line by line. */
export async function textIn(place: Locator): Promise<string> {
  return (await place.allInnerTexts()).join("\n");
}

/** One session in its frame, as a person meets it. */
export class SessionView {
  readonly id: string;
  readonly iframe: Locator;
  readonly frame: FrameLocator;
  readonly #page: Page;

  constructor(page: Page, id: string) {
    this.id = id;
    this.#page = page;
    this.iframe = page.locator(`iframe[data-session-id="${id}"]`);
    this.frame = this.iframe.contentFrame();
  }

  /** The focus is inside, and what the page posted to the frame before it was is done. */
  async hasKeyboard(): Promise<boolean> {
    if (!(await this.iframe.evaluate((frame) => frame.ownerDocument.activeElement === frame))) return false;
    await this.message.evaluate(
      () =>
        new Promise<void>((done) => {
          const own = `after all that was posted ${Math.random()}`;
          addEventListener("message", ({ data }) => data === own && done());
          postMessage(own, location.origin);
        }),
    );
    return true;
  }

  get transcript(): Locator {
    return this.frame.getByRole("log", { name: "Transcript" });
  }

  get message(): Locator {
    return this.frame.getByRole("textbox", { name: "Message" });
  }

  get send(): Locator {
    return this.button("Send");
  }

  get cancel(): Locator {
    return this.button("Cancel");
  }

  get status(): Locator {
    return this.frame.getByRole("status", { name: "Agent status" });
  }

  get permission(): Locator {
    return this.frame.getByRole("group", { name: "Permission request" });
  }

  get question(): Locator {
    return this.frame.getByRole("group", { name: "Question", exact: true });
  }

  /** A page that was agreed to and is waited for. */
  get visit(): Locator {
    return this.frame.getByRole("group", { name: "Opened page" });
  }

  get queued(): Locator {
    return this.frame.getByRole("group", { name: "Queued message" });
  }

  button(name: string): Locator {
    return this.frame.getByRole("button", { name, exact: true });
  }

  entries(type: EntryType): Locator {
    return this.transcript.locator(`article[data-entry-type="${type}"]`);
  }

  texts(type: EntryType): Promise<string[]> {
    return this.entries(type).allInnerTexts();
  }

  /** Types and presses Enter. */
  async say(text: string): Promise<void> {
    await this.message.fill(text);
    await this.message.press("Enter");
  }

  /** Sends a message and waits until there is a new answer with this text and its turn has ended. */
  async ask(text: string, answer: string): Promise<void> {
    const before = (await this.#newestAnswer()).id;
    await this.say(text);
    await waitFor(
      () => this.#newestAnswer(),
      (newest) => newest.id !== before && newest.text.includes(answer),
      `the agent to answer "${answer}"`,
    );
    await this.untilIdle();
  }

  /** Waits until the newest text of the agent's contains this. */
  async untilSaid(text: string): Promise<void> {
    await waitFor(
      () => this.#newestAnswer(),
      (newest) => newest.text.includes(text),
      `the agent to say "${text}"`,
    );
  }

  async #newestAnswer(): Promise<{ readonly id: string; readonly text: string }> {
    const answers = await this.entries("assistant").evaluateAll((all) =>
      all.slice(-1).map((one) => ({ id: one.getAttribute("data-entry-id") ?? "", text: one.textContent ?? "" })),
    );
    return answers[0] ?? { id: "", text: "" };
  }

  async untilIdle(): Promise<void> {
    await this.cancel.waitFor({ state: "hidden" });
  }

  async untilStatus(status: "idle" | "starting" | "connected" | "disconnected" | "reconnecting"): Promise<void> {
    await waitFor(
      () => this.status.getAttribute("data-status"),
      (seen) => seen === status,
      `the agent to be ${status}`,
    );
  }

  async untilSendIs(state: "on" | "off"): Promise<void> {
    await waitFor(
      () => this.send.isDisabled(),
      (isDisabled) => isDisabled === (state === "off"),
      `Send to be ${state}`,
    );
  }

  /** Waits until the composer holds this text. */
  async untilDraft(text: string): Promise<void> {
    await waitFor(
      () => this.message.inputValue(),
      (seen) => seen === text,
      `"${text}" in the composer`,
    );
  }

  /** How far the view is from the newest content. */
  toEnd(): Promise<number> {
    return this.transcript.evaluate((log) => log.scrollHeight - log.clientHeight - log.scrollTop);
  }

  scrollTop(): Promise<number> {
    return this.transcript.evaluate((log) => log.scrollTop);
  }

  /** A wheel moves the text over many animation frames, which are far apart on a busy machine: so frames are counted. */
  #untilAtRest(): Promise<number> {
    return this.transcript.evaluate((log, framesAtRest) => {
      const { promise, resolve } = Promise.withResolvers<number>();
      const look = (last: number, still: number) => {
        if (still === framesAtRest) resolve(last);
        else requestAnimationFrame(() => look(log.scrollTop, log.scrollTop === last ? still + 1 : 0));
      };
      look(log.scrollTop, 0);
      return promise;
    }, FRAMES_AT_REST);
  }

  /** As a reader would: with the wheel, over the text. Returns where the text came to rest. */
  async scrollUp(pixels: number): Promise<number> {
    await this.transcript.hover();
    // Not compared with where the text was before: it may have followed an answer further than the wheel goes back.
    const moved = await this.transcript.evaluateHandle((log) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      let last = log.scrollTop;
      const look = () => {
        if (log.scrollTop < last) resolve();
        last = log.scrollTop;
      };
      log.addEventListener("scroll", look);
      return { promise };
    });
    await this.#page.mouse.wheel(0, -pixels);
    await moved.evaluate(({ promise }) => promise);
    return this.#untilAtRest();
  }
}
