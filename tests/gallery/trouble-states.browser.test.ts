import { proveAccessible } from "./prove-accessible.ts";
import { TROUBLE_STATES } from "./trouble-states.ts";

proveAccessible(TROUBLE_STATES);
