import { useLayoutEffect, useRef } from "preact/hooks";
import type { SessionRow } from "../../protocol/session-schema.ts";
import { placeBeside } from "../../ui/controls/place-beside.ts";
import { Icon } from "../../ui/icons/icon.tsx";
import type { RowMenu, Shell } from "../state/shell.ts";
import { rowOf } from "../state/shell-state.ts";
import { rowActions, tabActions } from "./row-actions.ts";

/** What can be done with a session. The platform's own popover: a click elsewhere and Esc close it. */
function SessionMenu({ shell, menu }: { shell: Shell; menu: RowMenu }) {
  const element = useRef<HTMLDivElement>(null);
  const session = rowOf(shell.server.value, menu.sessionId);
  useLayoutEffect(() => {
    const { current } = element;
    if (current === null) return;
    current.showPopover();
    placeBeside(current, menu.button);
    current.querySelector<HTMLElement>("[role=menuitem]")?.focus();
  }, []);
  if (session === undefined) return null;
  const close = () => element.current?.hidePopover();
  return (
    <div
      ref={element}
      class="menu row-menu"
      role="menu"
      popover="auto"
      aria-label={`Actions for ${session.title}`}
      onToggle={(event) => {
        if (event.newState !== "closed") return;
        if (element.current?.contains(document.activeElement)) menu.button.focus();
        // Told a moment later: by then another one may be open.
        if (shell.rowMenu.peek() === menu) shell.rowMenu.value = null;
      }}
      onKeyDown={(event) => {
        // Esc closes the menu and nothing behind it.
        if (event.key === "Escape") event.stopPropagation();
        if (event.key === "Tab") close();
        else if (moveFocus(event.currentTarget, event.key)) event.preventDefault();
      }}
    >
      {(menu.place === "tab" ? tabActions : rowActions)(shell, session).map(
        ({ words, icon, key, isDangerous, act }) => (
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
        ),
      )}
    </div>
  );
}

/** As the pattern for menus asks; false leaves the key alone. */
function moveFocus(menu: Element, key: string): boolean {
  const items = [...menu.querySelectorAll("[role=menuitem]")].filter((item) => item instanceof HTMLElement);
  const at = items.findIndex((item) => item.matches(":focus"));
  const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[key];
  if (next === undefined) return false;
  items.at(next % items.length)?.focus();
  return true;
}

/** The menu of one row or one tab, in the part of the page that holds it. */
export function OpenMenu({ shell, place }: { shell: Shell; place: RowMenu["place"] }) {
  const menu = shell.rowMenu.value;
  return menu?.place !== place ? null : <SessionMenu key={menu} shell={shell} menu={menu} />;
}

export function MoreButton({ shell, session }: { shell: Shell; session: SessionRow }) {
  return (
    <button
      type="button"
      class="icon-button"
      aria-label={`More actions for ${session.title}`}
      aria-haspopup="menu"
      title="More actions"
      onClick={({ currentTarget: button }) => {
        shell.rowMenu.value = { sessionId: session.id, button, place: "row" };
      }}
    >
      <Icon name="more" class="icon-sm" />
    </button>
  );
}
