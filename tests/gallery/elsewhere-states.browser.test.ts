import { ELSEWHERE_STATES } from "./elsewhere-states.ts";
import { proveAccessible } from "./prove-accessible.ts";

proveAccessible(ELSEWHERE_STATES);
