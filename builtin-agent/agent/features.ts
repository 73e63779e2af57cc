import type { AuthMethod, InitializeResponse } from "@agentclientprotocol/sdk";
import type { Quirks } from "../scenarios/scenario.ts";

/** Features that `--without` can disable. */
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

/** An optional feature that a client must not assume. */
export type Feature = (typeof FEATURES)[number];

export function isFeature(word: string): word is Feature {
  return FEATURES.some((feature) => feature === word);
}

const PROTOCOL_VERSION = 1;
const FUTURE_PROTOCOL_VERSION = 99;
const AGENT_VERSION = "0.1.0";

/** The only sign-in method, for the scenario that requires one. */
export const SIGN_IN: AuthMethod = {
  id: "guide-sign-in",
  name: "Sign in to the guide",
  description: "Needs nothing: it only shows what signing in looks like.",
};

/** The agent's info and capabilities, without the features disabled by flags. */
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
