import { canAt } from "../../protocol/place-capabilities.ts";
import type { SessionRow } from "../../protocol/session-schema.ts";
import { type Snippet, snippetsFor } from "../../protocol/snippets.ts";
import { agentIconName, type IconName } from "../../ui/icons/icon-shapes.ts";
import { chordsOf } from "../../ui/keys/key-bindings.ts";
import { ANYWHERE, IN_SESSION, TABS } from "../../ui/keys/shortcut-table.ts";
import { THEMES } from "../../ui/theme/apply-theme.ts";
import { relativeAge } from "../../ui/words/time-words.ts";
import { findInPortlet, quoteInPortlet, wishOfPortlet } from "../portlets/ask-portlet.ts";
import { runShortcut } from "../run-shortcut.ts";
import { rowActions } from "../session-row/row-actions.ts";
import { hideSidebar, isNarrow } from "../sidebar/sidebar-layout.ts";
import { MARK_WORDS, type SessionMark, sessionMark } from "../state/session-mark.ts";
import type { Shell } from "../state/shell.ts";
import { askForSession } from "../state/shell-actions.ts";
import type { ShellDialog } from "../state/shell-dialog.ts";
import { agentOf, canIn, type ShellState } from "../state/shell-state.ts";
import { setTheme, theme } from "../state/theme.ts";

/** One entry of the palette: opens a session, or runs a command. */
export interface PaletteEntry {
  /** Stable across visits: recent choices are stored by it. */
  readonly id: string;
  readonly group: "Sessions" | "Commands";
  readonly words: string;
  /** Its context; also searched. */
  readonly detail: string;
  readonly icon: IconName;
  readonly mark?: SessionMark;
  /** Shown at the end: an age. */
  readonly note?: string;
  /** Its keyboard shortcut. */
  readonly chord?: string | undefined;
  readonly act: (shell: Shell) => void;
}

/** Every session except the one in view: waiting ones first, then by last activity. */
export function sessionEntries(state: ShellState, nowMs: number, shown: string | null): readonly PaletteEntry[] {
  const waits = ({ turn }: SessionRow) => Number(turn.state === "waiting");
  return [...state.sessions.values()]
    .filter(({ id }) => id !== shown)
    .sort((a, b) => waits(b) - waits(a) || (a.lastActiveAt < b.lastActiveAt ? 1 : -1))
    .map((session) => sessionEntry(state, session, nowMs));
}

function sessionEntry(state: ShellState, session: SessionRow, nowMs: number): PaletteEntry {
  const { id, cliType, projectId, lastActiveAt, title } = session;
  const project = state.projects.find((one) => one.id === projectId)?.name ?? "";
  const agent = agentOf(state, cliType)?.name ?? cliType;
  const mark = sessionMark(session);
  const detail = [project, agent, MARK_WORDS[mark]].filter((words) => words !== "").join(" · ");
  return {
    id: `session ${id}`,
    group: "Sessions",
    words: title,
    detail,
    icon: agentIconName(cliType),
    mark,
    note: relativeAge(lastActiveAt, nowMs),
    act: (shell) => shell.open(id, { focus: true }),
  };
}

/** By the id of its row: rows without an icon here are not commands. */
const ROW_ICONS: Readonly<Record<string, IconName>> = {
  search: "search",
  overview: "grid",
  "next-waiting": "question",
  "new-session": "plus",
  "focus-composer": "edit",
  print: "file",
  terminal: "terminal",
  settings: "settings",
  shortcuts: "key",
  "next-tab": "chevron",
  "previous-tab": "chevron",
  "move-right-tab": "chevron",
  "move-left-tab": "chevron",
  "close-tab": "close",
  "reopen-tab": "refresh",
  split: "columns",
  "close-column": "columns",
  "next-column": "columns",
  "previous-column": "columns",
  find: "search",
  files: "folder",
  changes: "diff",
  "previous-message": "up",
  "next-message": "down",
  "first-message": "up",
  latest: "down",
  stop: "stop",
};
const NEEDS_SESSION = [
  "close-tab",
  "focus-composer",
  "print",
  "next-tab",
  "previous-tab",
  "move-right-tab",
  "move-left-tab",
];
const NEEDS_COLUMNS = ["close-column", "next-column", "previous-column"];

/** All commands available now; those with a shortcut use the texts of the table of keys. */
export function commandEntries(shell: Shell): readonly PaletteEntry[] {
  const active = shell.shownSession();
  const session = active === null ? undefined : shell.server.value.sessions.get(active);
  const undoable = shell.undoable.value;
  const undo = undoable && command("undo", undoable.command, "undo", () => undoable.undo());
  return [
    ...(undo === null ? [] : [undo]),
    ...tableEntries(shell, session !== undefined),
    ...(session === undefined ? [] : [...rowActionEntries(shell, session), ...sessionCommands(shell, session)]),
    ...projectEntries(shell),
    ...pageEntries(),
  ];
}

function tableEntries(shell: Shell, hasSession: boolean): readonly PaletteEntry[] {
  const hasColumns = shell.split.value.columns.length > 0;
  return [...ANYWHERE, ...TABS].flatMap((row) => {
    const { id, does, words } = row;
    const icon = ROW_ICONS[id];
    if (icon === undefined || typeof does === "function") return [];
    if (NEEDS_SESSION.includes(id) && !hasSession) return [];
    if (NEEDS_COLUMNS.includes(id) && !hasColumns) return [];
    return [command(id, words, icon, (to) => void runShortcut(to, does), { chord: chordsOf(row)[0] })];
  });
}

/** Commands for the keys of a session's own frame. */
function sessionCommands(shell: Shell, { id, projectId }: SessionRow): readonly PaletteEntry[] {
  return IN_SESSION.flatMap((row) => {
    const { does, words } = row;
    const icon = ROW_ICONS[row.id];
    if (icon === undefined || does === "allow" || does === "deny" || does === "deny-with-reason") return [];
    if (does === "focus-composer" || does === "resume-limit") return [];
    if ((does === "files" || does === "changes") && !canIn(shell.server.value, projectId, does)) return [];
    const act = () => void (does === "find" ? findInPortlet(id) : wishOfPortlet(id, does));
    return [command(does, words, icon, act, { chord: chordsOf(row)[0] })];
  });
}

/** Actions for the session in view: those of its row and of its own menu. */
function rowActionEntries(shell: Shell, session: SessionRow): readonly PaletteEntry[] {
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

/** Puts a snippet into the message of the session in view. */
export function snippetEntries(shell: Shell, snippets: readonly Snippet[]): readonly PaletteEntry[] {
  const active = shell.shownSession();
  const session = active === null ? undefined : shell.server.value.sessions.get(active);
  if (session === undefined) return [];
  return snippetsFor(snippets, session.projectId).map(({ id, name, body }) =>
    command(`snippet ${id}`, `Snippet: /${name}`, "edit", () => void quoteInPortlet(session.id, body), {
      detail: body.trim().split("\n", 1)[0] ?? "",
    }),
  );
}

/** A title is edited in the sidebar, which may be hidden. */
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
  const pages = projects.flatMap(({ id, name, path }) => {
    const detail = name;
    const schedules = command(`schedules ${id}`, "Schedules", "clock", (to) => to.showSchedules(id), { detail });
    if (!canAt(path, "worktrees")) return [schedules];
    return [
      command(`worktrees ${id}`, "Worktrees", "branch", (to) => to.showWorktrees(id), { detail }),
      schedules,
      command(`attempts ${id}`, "Best of N", "columns", opens({ kind: "start-attempts", projectId: id }), { detail }),
    ];
  });
  const brings = canIn(shell.server.value, atHand, "import") ? [bring] : [];
  if (projects.length < 2) return [add, ...brings, ...pages];
  const starts = projects.map(({ id, name }) =>
    command(`new-session ${id}`, `New session in ${name}`, "plus", (to) => askForSession(to, id)),
  );
  return [add, ...brings, ...pages, ...starts];
}

function pageEntries(): readonly PaletteEntry[] {
  const themes = THEMES.filter((one) => one !== theme.value).map((one) =>
    command(`theme ${one}`, `Theme: ${one}`, one === "dark" ? "moon" : one === "light" ? "sun" : "display", () =>
      setTheme(one),
    ),
  );
  const usage = command("usage", "Usage", "chart", (shell) => shell.showUsage());
  return [command("agents", "Agents", "plug", (to) => to.showAgents()), usage, ...themes];
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
