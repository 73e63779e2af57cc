import { proveAccessible } from "./prove-accessible.ts";
import { SESSION_STATES } from "./session-states.ts";

proveAccessible(SESSION_STATES);
