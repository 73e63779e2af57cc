import { useEffect, useRef } from "preact/hooks";
import { Icon } from "../ui/icons/icon.tsx";
import { keyWords } from "../ui/keys/key-bindings.ts";
import { Strips } from "./pages/strips.tsx";
import { Welcome } from "./pages/welcome.tsx";
import { RareView } from "./rare-view.tsx";
import { runShortcut } from "./run-shortcut.ts";
import { OpenMenu } from "./session-row/open-menu.tsx";
import { ShellDialogs } from "./shell-dialogs.tsx";
import { Sidebar } from "./sidebar/sidebar.tsx";
import type { Shell } from "./state/shell.ts";
import { askForSession } from "./state/shell-actions.ts";
import { isComplete } from "./state/shell-state.ts";
import { TabBar } from "./tabs/tab-bar.tsx";

/** Whether the sidebar is hidden: the page's header then has its menu. */
const IN_MAIN = ["tab", "card"] as const;

interface AppProps {
  readonly shell: Shell;
  readonly now: () => number;
  readonly onRetry: () => void;
  readonly onReload: () => void;
  /** Passes on the element for the frames, once; nothing is rendered into it from here. */
  readonly onPortletsPlace: (place: Element) => void;
}

/** The whole page around the sessions. */
export function App({ shell, now, onRetry, onReload, onPortletsPlace }: AppProps) {
  const portlets = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (portlets.current !== null) onPortletsPlace(portlets.current);
  }, [onPortletsPlace]);
  return (
    <>
      {/* biome-ignore lint/a11y/useValidAnchor: it leads to a place in the page; the composer is in a frame, which no address reaches */}
      <a
        class="skip-link"
        href="#main"
        onClick={(event) => {
          event.preventDefault();
          if (!runShortcut(shell, { do: "focus-composer" })) document.getElementById("main")?.focus();
        }}
      >
        Skip to session
      </a>
      <Sidebar shell={shell} />
      <div class="drawer-scrim" aria-hidden="true" onClick={() => closeDrawer(shell)} />
      <main class="main" id="main" tabIndex={-1} inert={shell.drawerOpen.value}>
        <TabBar shell={shell} />
        <Strips shell={shell} now={now} onRetry={onRetry} onReload={onReload} />
        <div class="stage">
          <div class="portlets" ref={portlets} />
          <Stage shell={shell} />
          <Columns shell={shell} />
        </div>
        <Dock shell={shell} />
        <OpenMenu shell={shell} places={IN_MAIN} />
      </main>
      <ShellDialogs shell={shell} />
      <AgentQuestions shell={shell} />
      {shell.undoable.value !== null && (
        <RareView shell={shell} isOptional show={({ UndoToast }) => <UndoToast shell={shell} />} />
      )}
    </>
  );
}

/**
 * Shown if there is no session in view; beside a session only its name, as the page's heading. Empty until the sessions
 * are known.
 */
function Stage({ shell }: { shell: Shell }) {
  const state = shell.server.value;
  const { active } = shell.tabs.value;
  const page = shell.page.value;
  if (page !== null)
    return (
      <RareView
        shell={shell}
        show={({ AgentsPage, AttemptsPage, OverviewPage, SchedulesPage, UsagePage, WorktreesPage }) =>
          page === "overview" ? (
            <OverviewPage shell={shell} />
          ) : page === "agents" ? (
            <AgentsPage shell={shell} />
          ) : page === "usage" ? (
            <UsagePage shell={shell} />
          ) : "groupId" in page ? (
            <AttemptsPage key={page.groupId} shell={shell} projectId={page.attemptsOf} groupId={page.groupId} />
          ) : "schedulesOf" in page ? (
            <SchedulesPage key={page.schedulesOf} shell={shell} projectId={page.schedulesOf} />
          ) : (
            <WorktreesPage key={page.worktreesOf} shell={shell} projectId={page.worktreesOf} />
          )
        }
      />
    );
  if (active !== null) return <h1 class="visually-hidden">{state.sessions.get(active)?.title ?? "Liminal Builder"}</h1>;
  if (!isComplete(state)) return null;
  return state.sessions.size === 0 ? <Welcome shell={shell} /> : <NothingOpen shell={shell} />;
}

/** The layer around sessions shown side by side, and the drop target for a dragged tab. */
function Columns({ shell }: { shell: Shell }) {
  const isWanted = shell.shown.value.length > 1 || shell.draggedTab.value !== null;
  return isWanted ? (
    <RareView shell={shell} isOptional show={({ SplitColumns }) => <SplitColumns shell={shell} />} />
  ) : null;
}

/** Once opened it stays mounted: a hidden terminal keeps its screen. */
function Dock({ shell }: { shell: Shell }) {
  const wasOpened = useRef(false);
  wasOpened.current ||= shell.dock.value.isOpen;
  return wasOpened.current ? (
    <RareView shell={shell} show={({ TerminalDock }) => <TerminalDock shell={shell} />} />
  ) : null;
}

/** One at a time, above other dialogs, because it is often part of them. */
function AgentQuestions({ shell }: { shell: Shell }) {
  const [question] = shell.server.value.questions;
  return question === undefined ? null : (
    <RareView
      shell={shell}
      show={({ AgentQuestionDialog }) => (
        <AgentQuestionDialog key={question.elicitationId} shell={shell} question={question} />
      )}
    />
  );
}

function closeDrawer(shell: Shell): void {
  shell.drawerOpen.value = false;
}

/** The last tab was closed: one line, one button. */
function NothingOpen({ shell }: { shell: Shell }) {
  return (
    <div class="page nothing-open">
      <div class="empty">
        <Icon name="message" />
        <h1>No session open</h1>
        <p>Pick one from your projects, or start a new one.</p>
        <div class="actions">
          <button type="button" class="button primary" onClick={() => askForSession(shell)}>
            New session
            <kbd>{keyWords("new-session")}</kbd>
          </button>
          <button type="button" class="button" onClick={() => shell.toggleOverview()}>
            Overview
            <kbd>{keyWords("overview")}</kbd>
          </button>
        </div>
      </div>
    </div>
  );
}
