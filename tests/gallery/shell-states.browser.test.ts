import { proveAccessible } from "./prove-accessible.ts";
import { SHELL_STATES } from "./shell-states.ts";

proveAccessible(SHELL_STATES);
