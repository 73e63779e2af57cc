import type { Hub } from "../fanout/hub.ts";

interface AwaitOptions {
  readonly hub: Hub;
  /** Asked again whenever something has happened in any session. */
  readonly isMet: () => boolean;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Looks again with every fact that every client hears; the answer says what ended the wait. */
export function awaitAgents({ hub, isMet, timeoutMs, signal }: AwaitOptions): Promise<"met" | "timeout" | "aborted"> {
  if (isMet()) return Promise.resolve("met");
  return new Promise((resolve, reject) => {
    const end = (settle: () => void) => {
      clearTimeout(timer);
      listening[Symbol.dispose]();
      signal.removeEventListener("abort", onAbort);
      settle();
    };
    const look = () => {
      try {
        if (isMet()) end(() => resolve("met"));
      } catch (error) {
        end(() => reject(error));
      }
    };
    const onAbort = () => end(() => resolve("aborted"));
    const listening = hub.overhear(look);
    const timer = setTimeout(() => end(() => resolve("timeout")), timeoutMs);
    signal.addEventListener("abort", onAbort);
  });
}
