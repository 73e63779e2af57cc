import { ATTEMPT_STATES } from "./attempt-states.ts";
import { BRANCH_STATES } from "./branch-states.ts";
import { CHANGES_STATES } from "./changes-states.ts";
import { ELSEWHERE_STATES } from "./elsewhere-states.ts";
import { FILES_STATES } from "./files-states.ts";
import type { GalleryState } from "./gallery-state.ts";
import { LIMIT_STATES } from "./limit-states.ts";
import { PAGE_STATES } from "./page-states.ts";
import { READING_STATES } from "./reading-states.ts";
import { RESTORE_STATES } from "./restore-states.ts";
import { SCHEDULE_STATES } from "./schedule-states.ts";
import { SESSION_STATES } from "./session-states.ts";
import { SETTINGS_STATES } from "./settings-states.ts";
import { SHELL_STATES } from "./shell-states.ts";
import { TERMINAL_STATES } from "./terminal-states.ts";
import { TROUBLE_STATES } from "./trouble-states.ts";
import { WORKTREE_STATES } from "./worktree-states.ts";

/** Everything a person can see: `npm run gallery` takes its pictures, and the accessibility test looks at each. */
export const GALLERY_STATES: readonly GalleryState[] = [
  ...SHELL_STATES,
  ...SESSION_STATES,
  ...FILES_STATES,
  ...RESTORE_STATES,
  ...CHANGES_STATES,
  ...WORKTREE_STATES,
  ...ATTEMPT_STATES,
  ...BRANCH_STATES,
  ...SCHEDULE_STATES,
  ...READING_STATES,
  ...TERMINAL_STATES,
  ...SETTINGS_STATES,
  ...TROUBLE_STATES,
  ...ELSEWHERE_STATES,
  ...LIMIT_STATES,
  ...PAGE_STATES,
];
