import { Icon } from "../../ui/icons/icon.tsx";
import type { SessionMark } from "../state/session-mark.ts";

/** The place where a session works, hidden from screen readers: its text is in the description of its parent. */
export function WorktreeName({ name }: { name: string }) {
  return (
    <span class="worktree-name" aria-hidden="true">
      <Icon name="branch" class="icon-sm" />
      <span class="truncate">{name}</span>
    </span>
  );
}

/** The other machine that a project is on, hidden from screen readers. */
export function PlaceName({ place }: { place: string }) {
  return (
    <span class="worktree-name" aria-hidden="true" title={`At ${place}, another machine`}>
      <Icon name="server" class="icon-sm" />
      <span class="truncate">{place}</span>
    </span>
  );
}

/** The user's labels of a session, hidden from screen readers like the worktree. */
export function SessionLabels({ labels }: { labels: readonly string[] }) {
  return labels.length === 0 ? null : (
    <span class="session-labels" aria-hidden="true">
      {labels.map((label) => (
        <span key={label} class="tag">
          <span class="truncate">{label}</span>
        </span>
      ))}
    </span>
  );
}

/** The 16 px mark of a session's state; its text is in the description of its parent. */
export function Mark({ state }: { state: SessionMark }) {
  return (
    <span class="mark" data-state={state}>
      {state === "failed" && <Icon name="fail" class="icon-sm" />}
      {(state === "stalled" || state === "paused" || state === "limited") && <Icon name="clock" class="icon-sm" />}
    </span>
  );
}
