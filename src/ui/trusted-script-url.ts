interface WorkerUrlPolicy {
  /** A TrustedScriptURL, which these DOM types can only express as a string. */
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

/**
 * The page's only Trusted Types policy, which every document makes once and for one address: that of its own worker. It
 * returns only this address, so nothing else can become a script.
 */
export function trustedScriptUrl(url: string): string {
  if (policy !== null && policy.url !== url) throw new Error(`the worker policy allows ${policy.url} only`);
  policy ??= {
    url,
    trusted:
      window.trustedTypes?.createPolicy("liminal-worker", { createScriptURL: () => url }).createScriptURL("") ?? url,
  };
  return policy.trusted;
}
