import { Icon } from "../../ui/icons/icon.tsx";
import type { SessionMark } from "../state/session-mark.ts";

/** The 16 px mark of a session's state; its words stand in the description of what carries it. */
export function Mark({ state }: { state: SessionMark }) {
  return (
    <span class="mark" data-state={state}>
      {state === "failed" && <Icon name="fail" class="icon-sm" />}
      {(state === "stalled" || state === "paused") && <Icon name="clock" class="icon-sm" />}
    </span>
  );
}
