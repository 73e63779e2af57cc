import type { SessionId } from "../protocol/ids.ts";

/** Whose agents these are: a session, or null for all programs outside of any session, which share one root. */
export type Caller = SessionId | null;
