import { useLayoutEffect, useRef } from "preact/hooks";
import { moveFocus } from "../../ui/controls/move-focus.ts";
import { placeBeside } from "../../ui/controls/place-beside.ts";
import { Icon } from "../../ui/icons/icon.tsx";
import type { RowMenu, Shell } from "../state/shell.ts";
import { rowOf } from "../state/shell-state.ts";
import { projectActions, type RowAction, rowActions, tabActions } from "./row-actions.ts";

/** The actions of a session or a project. Uses the platform's popover: a click elsewhere and Esc close it. */
export function RowActionsMenu({ shell, menu }: { shell: Shell; menu: RowMenu }) {
  const element = useRef<HTMLDivElement>(null);
  const found = actionsOf(shell, menu);
  useLayoutEffect(() => {
    const { current } = element;
    if (current === null) return;
    current.showPopover();
    placeBeside(current, menu.button);
    current.querySelector<HTMLElement>("[role=menuitem]")?.focus();
  }, []);
  if (found === null) return null;
  const close = () => element.current?.hidePopover();
  return (
    <div
      ref={element}
      class="menu row-menu"
      role="menu"
      popover="auto"
      aria-label={`Actions for ${found.name}`}
      onToggle={(event) => {
        if (event.newState !== "closed") return;
        if (element.current?.contains(document.activeElement)) menu.button.focus();
        // The event comes later: by then another one may be open.
        if (shell.rowMenu.peek() === menu) shell.rowMenu.value = null;
      }}
      onKeyDown={(event) => {
        // Esc closes the menu and nothing behind it.
        if (event.key === "Escape") event.stopPropagation();
        if (event.key === "Tab") close();
        else if (moveFocus(event.currentTarget, event.key)) event.preventDefault();
      }}
    >
      {found.actions.map(({ words, icon, key, isDangerous, act }) => (
        <button
          key={words}
          type="button"
          role="menuitem"
          class={isDangerous ? "menu-item danger" : "menu-item"}
          tabIndex={-1}
          onClick={() => {
            menu.button.focus();
            close();
            act();
          }}
        >
          <Icon name={icon} class="icon-sm" />
          {words}
          {key !== undefined && <span class="end">{key}</span>}
        </button>
      ))}
    </div>
  );
}

/** Null when it is gone. */
function actionsOf(
  shell: Shell,
  menu: RowMenu,
): { readonly name: string; readonly actions: readonly RowAction[] } | null {
  const state = shell.server.value;
  if (menu.place === "project") {
    const project = state.projects.find(({ id }) => id === menu.projectId);
    return project ? { name: project.name, actions: projectActions(shell, project) } : null;
  }
  const session = rowOf(state, menu.sessionId);
  if (session === undefined) return null;
  return { name: session.title, actions: (menu.place === "tab" ? tabActions : rowActions)(shell, session) };
}
