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

let policy: { readonly url: string; readonly trusted: string } | null = null;

/** Starts our own worker. The page's only Trusted Types policy is made here; whatever it is asked, it gives that one address. */
export function createWorker(url: string): Worker {
  if (policy !== null && policy.url !== url) throw new Error(`the worker policy stands for ${policy.url} only`);
  policy ??= {
    url,
    trusted:
      window.trustedTypes?.createPolicy("liminal-worker", { createScriptURL: () => url }).createScriptURL("") ?? url,
  };
  return new Worker(policy.trusted, { type: "module", name: "liminal-highlight" });
}
