import { FILES_STATES } from "./files-states.ts";
import { proveAccessible } from "./prove-accessible.ts";

proveAccessible(FILES_STATES);
