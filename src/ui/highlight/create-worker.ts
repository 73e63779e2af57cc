import type { LineDiff } from "../../presentation/line-diff.ts";
import type { CodeToken } from "../../presentation/tokenize-code.ts";
import { trustedScriptUrl } from "../trusted-script-url.ts";

/** A connection to our worker. */
export interface WorkerLine {
  postMessage(message: unknown): void;
  close(): void;
}

interface WorkerListener<Reply> {
  readonly replied: (reply: Reply) => void;
  readonly failed: (reason: string) => void;
}

const NAME = "liminal-highlight";

/**
 * Connects to our own worker. All frames share one, so that its grammars are loaded once. `attempt`
 * counts how often a worker did not answer this frame; the next attempt gets a fresh one.
 */
export function openWorker<Reply>(url: string, attempt: number, listener: WorkerListener<Reply>): WorkerLine {
  const trusted = trustedScriptUrl(url);
  const options = { type: "module", name: attempt === 0 ? NAME : `${NAME}-${attempt}` } as const;
  const onMessage = ({ data }: MessageEvent<Reply>) => listener.replied(data);
  const fail = (event: Event) =>
    listener.failed((event instanceof ErrorEvent && event.message) || "the worker could not be loaded");
  // Some phones have no shared workers.
  if (typeof SharedWorker === "undefined") {
    const worker = new Worker(trusted, options);
    worker.addEventListener("message", onMessage);
    worker.addEventListener("error", fail);
    return { postMessage: (message) => worker.postMessage(message), close: () => worker.terminate() };
  }
  const shared = new SharedWorker(trusted, options);
  shared.addEventListener("error", fail);
  shared.port.addEventListener("message", onMessage);
  shared.port.start();
  return { postMessage: (message) => shared.port.postMessage(message), close: () => shared.port.close() };
}

export interface HighlightRequest {
  readonly id: number;
  readonly code: string;
  readonly language: string;
}

export interface HighlightReply {
  readonly id: number;
  readonly tokens: readonly CodeToken[];
}

/** Some lines of a file. The worker keeps the last files it has coloured; `code` is left out while it should have this one. */
export interface LinesRequest {
  readonly kind: "lines";
  readonly id: number;
  readonly file: string;
  readonly code?: string;
  readonly language: string;
  /** Counted from 0; `to` is not included. */
  readonly from: number;
  readonly to: number;
}

/** `lines` null: the worker does not have the file any more. */
export interface LinesReply {
  readonly id: number;
  readonly lines: readonly (readonly CodeToken[])[] | null;
}

/** The same worker compares long texts. */
export interface DiffRequest {
  readonly kind: "diff";
  readonly id: number;
  readonly oldText: string | null;
  readonly newText: string;
  readonly firstLine: number | undefined;
}

export interface DiffReply {
  readonly id: number;
  readonly diff: LineDiff;
}
