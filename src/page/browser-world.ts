import type { ClientWorld } from "../client/connection.ts";
import { openOwnSocket } from "./own-server.ts";

const ID_BYTES = 16;

const hexOf = (byte: number): string => byte.toString(16).padStart(2, "0");

/** The browser as a client sees it. */
export const browserWorld: ClientWorld = {
  openSocket: openOwnSocket,
  now: () => Date.now(),
  after: (ms, call) => {
    const timer = setTimeout(call, ms);
    return () => clearTimeout(timer);
  },
  random: () => Math.random(),
  // Not randomUUID: that exists on secure origins only, and the app may be reached by a plain address.
  newId: () => Array.from(crypto.getRandomValues(new Uint8Array(ID_BYTES)), hexOf).join(""),
  probe: async () => {
    if (document.visibilityState === "hidden") return false;
    return (await fetch("/healthz", { cache: "no-store" })).ok;
  },
};
