import type { GalleryState } from "./gallery-state.ts";
import { READING_STATES } from "./reading-states.ts";
import { SESSION_STATES } from "./session-states.ts";
import { SETTINGS_STATES } from "./settings-states.ts";
import { SHELL_STATES } from "./shell-states.ts";
import { TROUBLE_STATES } from "./trouble-states.ts";

/** Everything a person can see: `npm run gallery` takes its pictures, and the accessibility test looks at each. */
export const GALLERY_STATES: readonly GalleryState[] = [
  ...SHELL_STATES,
  ...SESSION_STATES,
  ...READING_STATES,
  ...SETTINGS_STATES,
  ...TROUBLE_STATES,
];
