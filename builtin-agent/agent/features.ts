import type { AuthMethod, InitializeResponse } from "@agentclientprotocol/sdk";
import type { Quirks } from "../scenarios/scenario.ts";

/** What `--without` can take away. */
export const FEATURES = [
  "load",
  "resume",
  "list",
  "close",
  "delete",
  "modes",
  "config",
  "commands",
  "steering",
] as const;

/** An ability of the agent that a client must not take for granted. */
export type Feature = (typeof FEATURES)[number];

/** Narrows a word of the command line. */
export function isFeature(word: string): word is Feature {
  return FEATURES.some((feature) => feature === word);
}

const PROTOCOL_VERSION = 1;
const FUTURE_PROTOCOL_VERSION = 99;
const AGENT_VERSION = "0.1.0";

/** The only sign-in there is, for the scenario that demands one. */
export const SIGN_IN: AuthMethod = {
  id: "guide-sign-in",
  name: "Sign in to the guide",
  description: "Needs nothing: it only shows what signing in looks like.",
};

/** What the agent is and can do; what was taken away by flag is not advertised. */
export function initializeResult(without: ReadonlySet<Feature>, quirks: Quirks, hasModel: boolean): InitializeResponse {
  const offered = (feature: "list" | "resume" | "close" | "delete") => (without.has(feature) ? {} : { [feature]: {} });
  return {
    protocolVersion: quirks.futureVersion ? FUTURE_PROTOCOL_VERSION : PROTOCOL_VERSION,
    agentInfo: { name: "liminal-guide", title: "Liminal Guide", version: AGENT_VERSION },
    agentCapabilities: {
      loadSession: !without.has("load"),
      promptCapabilities: { image: true, audio: false, embeddedContext: true },
      mcpCapabilities: { http: hasModel, sse: false },
      sessionCapabilities: { ...offered("list"), ...offered("resume"), ...offered("close"), ...offered("delete") },
    },
    ...(without.has("steering") ? {} : { _meta: { steering: { supported: true } } }),
    authMethods: quirks.authRequired ? [SIGN_IN] : [],
  };
}
