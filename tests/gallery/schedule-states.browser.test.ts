import { proveAccessible } from "./prove-accessible.ts";
import { SCHEDULE_STATES } from "./schedule-states.ts";

proveAccessible(SCHEDULE_STATES);
