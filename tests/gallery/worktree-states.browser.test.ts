import { proveAccessible } from "./prove-accessible.ts";
import { WORKTREE_STATES } from "./worktree-states.ts";

proveAccessible(WORKTREE_STATES);
