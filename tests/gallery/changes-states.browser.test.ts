import { CHANGES_STATES } from "./changes-states.ts";
import { proveAccessible } from "./prove-accessible.ts";

proveAccessible(CHANGES_STATES);
