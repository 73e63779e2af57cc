import { proveAccessible } from "./prove-accessible.ts";
import { TERMINAL_STATES } from "./terminal-states.ts";

proveAccessible(TERMINAL_STATES);
