import { ATTEMPT_STATES } from "./attempt-states.ts";
import { proveAccessible } from "./prove-accessible.ts";

proveAccessible(ATTEMPT_STATES);
