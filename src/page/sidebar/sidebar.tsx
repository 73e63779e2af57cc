import { useLayoutEffect, useRef } from "preact/hooks";
import { Icon } from "../../ui/icons/icon.tsx";
import { ariaKeys, keysOf, withKey } from "../../ui/keys/key-bindings.ts";
import { shellShortcut } from "../../ui/keys/shell-shortcut.ts";
import { Mark } from "../controls/mark.tsx";
import { useRoving } from "../controls/use-roving.ts";
import { RareView } from "../rare-view.tsx";
import { OpenMenu } from "../session-row/open-menu.tsx";
import { countsIn } from "../state/attention.ts";
import { NO_FILTER } from "../state/session-filter.ts";
import { MARK_WORDS } from "../state/session-mark.ts";
import type { Shell } from "../state/shell.ts";
import { isComplete } from "../state/shell-state.ts";
import { AgentsFooter } from "./agents-footer.tsx";
import { ProjectGroup, usePick } from "./project-group.tsx";
import { hideSidebar, resizeSidebar, SIDEBAR_PX_MAX, SIDEBAR_PX_MIN, sidebarLayout } from "./sidebar-layout.ts";
import { type TreeItem, TypeAhead, treeStep } from "./tree-keys.ts";

/** All projects, sessions and agents. A drawer in a narrow window. */
export function Sidebar({ shell }: { shell: Shell }) {
  const projects = usePick(shell, (state) => state.projects);
  const isGreeted = usePick(shell, ({ awaited }) => awaited !== null);
  const isKnown = usePick(shell, isComplete);
  const onTreeKey = useRef(listenInTree()).current;
  const tree = useRoving<HTMLDivElement>(".session-row", { hasOwnKeys: true });
  const projectList = useRoving<HTMLUListElement>(".project-head", { hasOwnKeys: true });
  const drawerOpen = shell.drawerOpen.value;
  const filter = shell.filter.value;
  const hide = useRef<HTMLButtonElement>(null);
  // The page behind an open drawer cannot be reached, so the focus goes along.
  useLayoutEffect(() => {
    if (drawerOpen) hide.current?.focus();
  }, [drawerOpen]);
  const addProject = () => {
    shell.dialog.value = { kind: "add-project" };
  };
  return (
    <nav class={drawerOpen ? "sidebar open" : "sidebar"} id="sidebar" aria-label="Projects" aria-busy={!isKnown}>
      <header class="sidebar-head">
        <span class="brand">
          <Icon name="liminal" />
          <span class="truncate">Liminal Builder</span>
        </span>
        <span class="spacer" />
        <button
          type="button"
          class="icon-button"
          data-filter-button=""
          aria-label="Filter sessions"
          aria-pressed={filter.isOpen}
          title="Filter sessions"
          onClick={() => {
            shell.filter.value = filter.isOpen ? NO_FILTER : { ...NO_FILTER, isOpen: true };
          }}
        >
          <Icon name="filter" />
        </button>
        <button type="button" class="icon-button" aria-label="Add project" title="Add project" onClick={addProject}>
          <Icon name="plus" />
        </button>
        <button
          type="button"
          ref={hide}
          class="icon-button"
          aria-label="Hide projects"
          title="Hide projects"
          onClick={() => {
            if (drawerOpen) shell.drawerOpen.value = false;
            else hideSidebar(true);
          }}
        >
          <Icon name="sidebar" />
        </button>
      </header>
      <SidebarTop shell={shell} />
      {filter.isOpen && (
        <RareView
          shell={shell}
          isOptional
          show={({ SessionFilterBar }) => <SessionFilterBar shell={shell} takesFocus />}
        />
      )}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: its buttons have the focus; their key events bubble up to here */}
      <div class="sidebar-scroll" ref={tree} onKeyDown={onTreeKey}>
        {isGreeted && projects.length === 0 ? (
          <NoProjects onAdd={addProject} />
        ) : (
          <ul ref={projectList}>
            {projects.map((project) => (
              <ProjectGroup key={project.id} shell={shell} project={project} />
            ))}
          </ul>
        )}
      </div>
      <AgentsFooter shell={shell} />
      <SidebarGrip />
      <OpenMenu shell={shell} places={IN_SIDEBAR} />
    </nav>
  );
}

function NoProjects({ onAdd }: { onAdd: () => void }) {
  return (
    <div class="empty">
      <Icon name="folder" />
      <p>Projects you add appear here with all their sessions.</p>
      <div class="actions">
        <button type="button" class="button" onClick={onAdd}>
          <Icon name="plus" class="icon-sm" />
          Add your first project
        </button>
      </div>
    </div>
  );
}

const IN_SIDEBAR = ["row", "project"] as const;
const ITEMS = "button.project-toggle, button.row-link";

/** Navigates the sidebar by arrow keys, Home, End and letters; Tab reaches only the current row. */
function listenInTree(): (event: KeyboardEvent) => void {
  const typed = new TypeAhead();
  return (event) => {
    const { currentTarget: tree, target, key, timeStamp } = event;
    const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey && !event.shiftKey && !event.isComposing;
    if (!isPlain || !(tree instanceof Element) || !(target instanceof Element) || target.matches("input")) return;
    const buttons = [...tree.querySelectorAll<HTMLElement>(ITEMS)];
    const at = buttons.indexOf(itemOf(target));
    const items = buttons.map((button) => describe(button, tree));
    const isLetter = key.length === 1 && key !== " " && (typed.isTyping(timeStamp) || !isShortcut(key));
    const found = isLetter ? typed.find(items, at, key, timeStamp) : null;
    const step = found === null ? treeStep(items, at, key) : { go: found };
    if (step === null) return;
    event.preventDefault();
    event.stopPropagation(); // inside a word, a letter is no shortcut
    if (step === "fold") buttons[at]?.click();
    else buttons[step.go]?.focus();
  };
}

function isShortcut(key: string): boolean {
  const modifiers = { ctrl: false, meta: false, shift: false, alt: false };
  return shellShortcut({ key, modifiers, typing: false }) !== null;
}

/** The main button of a row, from any of the row's buttons. */
function itemOf(target: Element): HTMLElement {
  const row = target.closest(".session-row, .project-head");
  const item = row?.querySelector<HTMLElement>(ITEMS);
  return item ?? document.body;
}

function describe(button: HTMLElement, tree: Element): TreeItem {
  let level = 0;
  for (let list = button.closest("ul"); list !== null && tree.contains(list); level += 1)
    list = list.parentElement?.closest("ul") ?? null;
  const expanded = button.getAttribute("aria-expanded");
  return { level, text: button.textContent ?? "", isOpen: expanded === null ? undefined : expanded === "true" };
}

const KEY_STEP_PX = 16;

/** The edge that is dragged. Meanwhile the frames ignore the pointer, or they would capture it. */
function SidebarGrip() {
  const { width } = sidebarLayout.value;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a separator that can be moved is a widget, which <hr> is not
    <div
      class="sidebar-grip"
      role="separator"
      aria-orientation="vertical"
      aria-label="Resize sidebar"
      aria-valuemin={SIDEBAR_PX_MIN}
      aria-valuemax={SIDEBAR_PX_MAX}
      aria-valuenow={width}
      tabIndex={0}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        document.body.dataset["dragging"] = "";
      }}
      onPointerMove={(event) => {
        if (event.currentTarget.hasPointerCapture(event.pointerId)) resizeSidebar(event.clientX);
      }}
      onLostPointerCapture={() => {
        delete document.body.dataset["dragging"];
      }}
      onKeyDown={(event) => {
        const steps = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
        if (steps === undefined) return;
        event.preventDefault();
        resizeSidebar(width + steps * KEY_STEP_PX);
      }}
    />
  );
}

const COUNTED = ["working", "waiting", "failed"] as const;

/** The links above the projects: commands, search, overview. */
function SidebarTop({ shell }: { shell: Shell }) {
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
      <button
        type="button"
        class="nav-row"
        aria-current={shell.page.value === "usage" ? "page" : undefined}
        onClick={() => shell.showUsage()}
      >
        <Icon name="chart" />
        Usage
      </button>
    </div>
  );
}

/** How many sessions work, wait and failed, and the link to all of them. */
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
