import type { PageRequest } from "../../protocol/server-messages.ts";

/** Nobody answers for this long: the agent is told no rather than left waiting. */
const CONSENT_MS_MAX = 10 * 60_000;
const OPEN_MAX = 20;

export type Consent = "accept" | "decline" | "cancel";

interface PageConsentsOptions {
  readonly onAsked: (request: PageRequest) => void;
  readonly onResolved: (elicitationId: string, action: Consent) => void;
}

/** Pages an agent wants the user to visit, to sign in for example. We show where it leads; only the user opens it. */
export class PageConsents {
  readonly #options: PageConsentsOptions;
  readonly #open = new Map<string, { readonly request: PageRequest; readonly settle: (action: Consent) => void }>();

  constructor(options: PageConsentsOptions) {
    this.#options = options;
  }

  list(): readonly PageRequest[] {
    return [...this.#open.values()].map(({ request }) => request);
  }

  ask(request: PageRequest): Promise<Consent> {
    if (this.#open.size >= OPEN_MAX) return Promise.resolve("decline");
    const { promise, resolve } = Promise.withResolvers<Consent>();
    const timer = setTimeout(() => this.resolve(request.elicitationId, "decline"), CONSENT_MS_MAX);
    timer.unref();
    this.#open.set(request.elicitationId, {
      request,
      settle: (action) => {
        clearTimeout(timer);
        resolve(action);
      },
    });
    this.#options.onAsked(request);
    return promise;
  }

  /** False when it is not open any more. */
  resolve(elicitationId: string, action: Consent): boolean {
    const open = this.#open.get(elicitationId);
    if (!open) return false;
    this.#open.delete(elicitationId);
    open.settle(action);
    this.#options.onResolved(elicitationId, action);
    return true;
  }
}
