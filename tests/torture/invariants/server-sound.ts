import type { Invariant } from "./invariant.ts";

const FAULT = /^.*Unexpected fault.*(?:\n\s+.*)*/gm;

/** The server never ended by itself, and had no fault of its own that no fault of ours explains. */
export const serverSound: Invariant = {
  name: "the server had no faults of its own",
  breach: "other",
  check({ server, excused }) {
    const faults = (server.log.match(FAULT) ?? []).filter((text) => !excused.some((pattern) => pattern.test(text)));
    return [...new Set(faults.map((text) => text.slice(0, 800)))].concat(server.unexpectedEnds);
  },
};
