import { OWN_TERMINAL_CAPABILITIES } from "./translate/own-terminals.ts";

/** What we tell an agent we can do for it: only what is really there, and what the user has not switched off. */
export function clientCapabilities(serves: { readonly fs: boolean; readonly terminal: boolean }): object {
  return {
    session: { configOptions: { boolean: {} }, notices: {}, compaction: {} },
    fs: { readTextFile: serves.fs, writeTextFile: serves.fs },
    terminal: serves.terminal,
    auth: { terminal: true },
    elicitation: { form: {}, url: {} },
    _meta: { ...OWN_TERMINAL_CAPABILITIES, "terminal-auth": true },
  };
}
