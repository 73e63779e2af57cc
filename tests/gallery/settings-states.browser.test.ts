import { proveAccessible } from "./prove-accessible.ts";
import { SETTINGS_STATES } from "./settings-states.ts";

proveAccessible(SETTINGS_STATES);
