import { BRANCH_STATES } from "./branch-states.ts";
import { proveAccessible } from "./prove-accessible.ts";

proveAccessible(BRANCH_STATES);
