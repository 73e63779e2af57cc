import { within } from "../measure/wait-until.ts";
import { wallClockMs } from "../measure/wall-clock.ts";

/** Called with each frame and the moment it came; nothing is parsed before that moment is taken. */
export type FrameListener = (frame: string, at: number) => void;

/** A plain socket: the server is measured, not a client. */
export class RawReader implements Disposable {
  readonly #socket: WebSocket;
  onFrame: FrameListener | null = null;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener("message", ({ data }) => {
      const at = wallClockMs();
      if (typeof data === "string") this.onFrame?.(data, at);
    });
  }

  static async open(url: string): Promise<RawReader> {
    const socket = new WebSocket(url);
    const opened = Promise.withResolvers<void>();
    socket.addEventListener("open", () => opened.resolve());
    socket.addEventListener("error", () => opened.reject(new Error(`No socket at ${new URL(url).host}`)));
    const reader = new RawReader(socket);
    await within("a socket", opened.promise);
    return reader;
  }

  send(text: string): void {
    this.#socket.send(text);
  }

  /** Sends, and waits for the first frame that has `sign` in it. */
  async exchange(text: string, sign: string): Promise<{ readonly frame: string; readonly tookMs: number }> {
    const came = this.next(sign);
    const from = wallClockMs();
    this.send(text);
    const { frame, at } = await came;
    return { frame, tookMs: at - from };
  }

  async next(sign: string): Promise<{ readonly frame: string; readonly at: number }> {
    const came = Promise.withResolvers<{ frame: string; at: number }>();
    this.onFrame = (frame, at) => {
      if (frame.includes(sign)) came.resolve({ frame, at });
    };
    const found = await within(`a frame with ${sign}`, came.promise);
    this.onFrame = null;
    return found;
  }

  [Symbol.dispose](): void {
    this.#socket.close();
  }
}
