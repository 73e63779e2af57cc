import type { LineDiff } from "../../presentation/line-diff.ts";
import type { CodeToken } from "../../presentation/tokenize-code.ts";

interface WorkerUrlPolicy {
  /** A TrustedScriptURL, which these DOM types can only call a string. */
  createScriptURL(input: string): string;
}

declare global {
  interface Window {
    readonly trustedTypes?: {
      createPolicy(name: string, rules: { createScriptURL: () => string }): WorkerUrlPolicy;
    };
  }
}

/** A line to our worker. */
export interface WorkerLine {
  postMessage(message: unknown): void;
  close(): void;
}

interface WorkerListener<Reply> {
  readonly replied: (reply: Reply) => void;
  readonly failed: (reason: string) => void;
}

const NAME = "liminal-highlight";

let policy: { readonly url: string; readonly trusted: string } | null = null;

/**
 * Opens a line to our own worker. All frames share one: its grammars are read once, not once per session. `attempt`
 * counts how often a worker did not answer this frame; the next attempt gets a fresh one. The page's only Trusted
 * Types policy is made here; whatever it is asked, it gives that one address.
 */
export function openWorker<Reply>(url: string, attempt: number, listener: WorkerListener<Reply>): WorkerLine {
  if (policy !== null && policy.url !== url) throw new Error(`the worker policy allows ${policy.url} only`);
  policy ??= {
    url,
    trusted:
      window.trustedTypes?.createPolicy("liminal-worker", { createScriptURL: () => url }).createScriptURL("") ?? url,
  };
  const options = { type: "module", name: attempt === 0 ? NAME : `${NAME}-${attempt}` } as const;
  const onMessage = ({ data }: MessageEvent<Reply>) => listener.replied(data);
  const fail = (event: Event) =>
    listener.failed((event instanceof ErrorEvent && event.message) || "the worker could not be loaded");
  // Some phones have none to share.
  if (typeof SharedWorker === "undefined") {
    const worker = new Worker(policy.trusted, options);
    worker.addEventListener("message", onMessage);
    worker.addEventListener("error", fail);
    return { postMessage: (message) => worker.postMessage(message), close: () => worker.terminate() };
  }
  const shared = new SharedWorker(policy.trusted, options);
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
