import { Icon } from "../../ui/icons/icon.tsx";
import { ariaKeys, keysOf, withKey } from "../../ui/keys/key-bindings.ts";
import { Mark } from "../controls/mark.tsx";
import { countsIn } from "../state/attention.ts";
import { MARK_WORDS } from "../state/session-mark.ts";
import type { Shell } from "../state/shell.ts";

const COUNTED = ["working", "waiting", "failed"] as const;

/** The ways to everything that stand above the projects: commands, search, overview. */
export function SidebarTop({ shell }: { shell: Shell }) {
  return (
    <div class="sidebar-top">
      <button
        type="button"
        class="palette-button"
        aria-haspopup="dialog"
        aria-keyshortcuts={ariaKeys("palette")}
        onClick={() => {
          shell.dialog.value = { kind: "palette" };
        }}
      >
        <Icon name="chevron" class="icon-sm" />
        <span class="truncate">Search or run a command</span>
        <span class="keys" aria-hidden="true">
          {keysOf("palette").map((key) => (
            <kbd key={key}>{key}</kbd>
          ))}
        </span>
      </button>
      <button
        type="button"
        class="nav-row"
        aria-label="Search"
        aria-keyshortcuts={ariaKeys("search")}
        title={withKey("Search all sessions", "search")}
        onClick={() => {
          shell.dialog.value = { kind: "search" };
        }}
      >
        <Icon name="search" />
        Search
      </button>
      <OverviewRow shell={shell} />
    </div>
  );
}

/** How many sessions work, wait and failed, and the way to all of them. */
function OverviewRow({ shell }: { shell: Shell }) {
  const counted = countsIn(shell.server.value, shell.nowMs.value);
  const counts = COUNTED.flatMap((mark) => (counted[mark] > 0 ? [{ mark, n: counted[mark] }] : []));
  return (
    <button
      type="button"
      class="nav-row"
      aria-keyshortcuts={ariaKeys("overview")}
      aria-description={counts.map(({ mark, n }) => `${n} ${MARK_WORDS[mark]}`).join(", ") || undefined}
      aria-current={shell.page.value === "overview" ? "page" : undefined}
      title={withKey("Overview and inbox", "overview")}
      onClick={() => shell.toggleOverview()}
    >
      <Icon name="grid" />
      Overview
      <span class="counts" aria-hidden="true">
        {counts.map(({ mark, n }) => (
          <span key={mark}>
            <Mark state={mark} />
            {n}
          </span>
        ))}
      </span>
    </button>
  );
}
