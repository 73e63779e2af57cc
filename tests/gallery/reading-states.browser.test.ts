import { proveAccessible } from "./prove-accessible.ts";
import { READING_STATES } from "./reading-states.ts";

proveAccessible(READING_STATES);
