import { LIMIT_STATES } from "./limit-states.ts";
import { proveAccessible } from "./prove-accessible.ts";

proveAccessible(LIMIT_STATES);
