import type { SessionRow } from "../../protocol/server-messages.ts";
import type { IconName } from "../icons/icon-shapes.ts";
import { rowActions } from "../session-row/row-actions.ts";
import { isNarrow } from "../shell/is-narrow.ts";
import { runShortcut } from "../shell/keys/run-shortcut.ts";
import { ANYWHERE, type ShellWish, TABS } from "../shell/keys/shortcut-table.ts";
import { hideSidebar } from "../shell/sidebar/sidebar-layout.ts";
import type { Shell } from "../shell/state/shell.ts";
import { askForSession } from "../shell/state/shell-actions.ts";
import type { ShellDialog } from "../shell/state/shell-dialog.ts";
import { setTheme, theme } from "../shell/state/theme.ts";
import { THEMES } from "../theme/apply-theme.ts";
import type { PaletteEntry } from "./palette-entry.ts";

const WISH_ICONS: Readonly<Partial<Record<ShellWish, IconName>>> = {
  search: "search",
  overview: "grid",
  "next-waiting": "question",
  "new-session": "plus",
  "focus-composer": "edit",
  print: "file",
  settings: "settings",
  shortcuts: "key",
  "close-tab": "close",
  "reopen-tab": "refresh",
  split: "columns",
  "close-column": "columns",
};

/** All that can be done now, what has a key in the words of the one table of keys. */
export function commandEntries(shell: Shell): readonly PaletteEntry[] {
  const active = shell.shownSession();
  const session = active === null ? undefined : shell.server.value.sessions.get(active);
  return [
    ...tableEntries(session !== undefined),
    ...(session === undefined ? [] : careEntries(shell, session)),
    ...projectEntries(shell),
    ...pageEntries(),
  ];
}

function tableEntries(hasSession: boolean): readonly PaletteEntry[] {
  return [...ANYWHERE, ...TABS].flatMap(({ does, words, chords }) => {
    if (typeof does === "function") return [];
    const icon = does.do in WISH_ICONS ? iconOf(does.do) : undefined;
    const needsSession = ["close-tab", "focus-composer", "print"].includes(does.do);
    if (icon === undefined || (needsSession && !hasSession)) return [];
    return [command(does.do, words, icon, (shell) => void runShortcut(shell, does), { chord: chords[0] })];
  });
}

function iconOf(wish: string): IconName | undefined {
  return Object.entries(WISH_ICONS).find(([name]) => name === wish)?.[1];
}

/** What can be done with the session in view: the same as from its row, and what its own menu has. */
function careEntries(shell: Shell, session: SessionRow): readonly PaletteEntry[] {
  const { id: sessionId, title: detail } = session;
  const fromRow = rowActions(shell, session).map(({ words, icon, isInPlace, act }) =>
    command(
      words,
      words,
      icon,
      () => {
        if (isInPlace) revealRow(shell, session);
        act();
      },
      { detail },
    ),
  );
  return [
    ...fromRow,
    command("export", "Export", "file", opens({ kind: "export", sessionId }), { detail }),
    command("permissions", "Permissions", "shield", opens({ kind: "permissions", sessionId }), { detail }),
    command("log", "ACP log", "terminal", opens({ kind: "log", sessionId }), {
      detail,
    }),
  ];
}

/** A title is typed in the sidebar, which may be out of sight. */
function revealRow(shell: Shell, { projectId }: SessionRow): void {
  if (isNarrow()) shell.drawerOpen.value = true;
  else hideSidebar(false);
  if (shell.collapsed.peek()[projectId] === true) shell.toggleProject(projectId);
}

function projectEntries(shell: Shell): readonly PaletteEntry[] {
  const { projects } = shell.server.value;
  const add = command("add-project", "Add a project", "folder", opens({ kind: "add-project" }));
  const atHand = shell.projectAtHand();
  if (atHand === null) return [add];
  const bring = command("import", "Import sessions", "archive", opens({ kind: "import", projectId: atHand }));
  if (projects.length < 2) return [add, bring];
  const starts = projects.map(({ id, name }) =>
    command(`new-session ${id}`, `New session in ${name}`, "plus", (to) => askForSession(to, id)),
  );
  return [add, bring, ...starts];
}

function pageEntries(): readonly PaletteEntry[] {
  const themes = THEMES.filter((one) => one !== theme.value).map((one) =>
    command(`theme ${one}`, `Theme: ${one}`, one === "dark" ? "moon" : one === "light" ? "sun" : "display", () =>
      setTheme(one),
    ),
  );
  return [command("agents", "Agents", "plug", opens({ kind: "agents" })), ...themes];
}

function opens(dialog: ShellDialog): PaletteEntry["act"] {
  return (shell) => {
    shell.dialog.value = dialog;
  };
}

function command(
  id: string,
  words: string,
  icon: IconName,
  act: PaletteEntry["act"],
  { detail = "", chord }: { readonly detail?: string; readonly chord?: string | undefined } = {},
): PaletteEntry {
  return { id: `command ${id}`, group: "Commands", words, detail, icon, chord, act };
}
