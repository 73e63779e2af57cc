import { PAGE_STATES } from "./page-states.ts";
import { proveAccessible } from "./prove-accessible.ts";

proveAccessible(PAGE_STATES);
