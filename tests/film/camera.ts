import type { Locator, Page } from "playwright-core";

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** One picture of the film, for so long. */
export interface Frame {
  readonly png: Buffer;
  readonly forMs: number;
  readonly pointer: Point | null;
  /** The subtitle below the picture. */
  readonly caption: string;
}

/** A step of the pointer or of typed text: twelve pictures a second. */
const STEP_MS = 80;
const GLIDE_STEPS = 5;
const TYPED_AT_ONCE_CHARS = 4;
/** Between a press and what comes of it. */
const PRESS_MS = 160;

/** Takes the pictures of a page while a story is played in it. Times are those of the film, never of the clock. */
export class Camera {
  readonly frames: Frame[] = [];
  caption = "";
  #pointer: Point | null = null;
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
  }

  /** What is shown now, for so long. */
  async show(forMs: number): Promise<void> {
    this.#add(await this.#shoot(), forMs, this.#pointer);
  }

  /** The pointer glides there and presses; the real mouse does the same. */
  async press(target: Locator): Promise<void> {
    await this.point(target);
    await this.show(PRESS_MS);
    await target.click();
  }

  async point(target: Locator): Promise<void> {
    await target.scrollIntoViewIfNeeded();
    const box = await target.boundingBox();
    if (box === null) throw new Error(`nothing to point at: ${target}`);
    const to = { x: box.x + Math.min(box.width / 2, 120), y: box.y + box.height / 2 };
    const from = this.#pointer ?? { x: to.x + 160, y: to.y + 120 };
    const png = await this.#shoot();
    for (let step = 1; step <= GLIDE_STEPS; step += 1) {
      // Slows down towards its goal.
      const part = 1 - (1 - step / GLIDE_STEPS) ** 2;
      this.#add(png, STEP_MS, { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part });
    }
    this.#pointer = to;
    await target.hover();
  }

  async hidePointer(): Promise<void> {
    this.#pointer = null;
    await this.#page.mouse.move(0, 0);
  }

  /** Writes into the field that has the focus, a few letters at a time. */
  async type(field: Locator, text: string): Promise<void> {
    await this.hidePointer();
    for (let at = 0; at < text.length; at += TYPED_AT_ONCE_CHARS) {
      await field.pressSequentially(text.slice(at, at + TYPED_AT_ONCE_CHARS));
      await this.show(STEP_MS);
    }
  }

  #shoot(): Promise<Buffer> {
    return this.#page.screenshot({ animations: "disabled", caret: "hide" });
  }

  #add(png: Buffer, forMs: number, pointer: Point | null): void {
    this.frames.push({ png, forMs, pointer, caption: this.caption });
  }
}
