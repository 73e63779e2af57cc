import { proveAccessible } from "./prove-accessible.ts";
import { RESTORE_STATES } from "./restore-states.ts";

proveAccessible(RESTORE_STATES);
