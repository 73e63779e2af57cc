import { useComputed } from "@preact/signals";
import type { ComponentChildren, RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { TerminalId, TerminalInfo } from "../../protocol/terminals.ts";
import { Icon } from "../../ui/icons/icon.tsx";
import { pressedKey } from "../../ui/keys/chords.ts";
import { ariaKeys, keyWords, withKey } from "../../ui/keys/key-bindings.ts";
import { findShortcut, shellShortcut } from "../../ui/keys/shell-shortcut.ts";
import { IN_TERMINAL, type TerminalWish } from "../../ui/keys/shortcut-table.ts";
import { copyText } from "../../ui/markdown/copy-text.ts";
import { TroubleNotice } from "../controls/trouble-notice.tsx";
import { openPathInPortlet, quoteInPortlet } from "../portlets/ask-portlet.ts";
import { runShortcut } from "../run-shortcut.ts";
import type { Shell } from "../state/shell.ts";
import type { Trouble } from "../state/trouble.ts";
import { DOCK_PX_MIN, DockState, type DockTab, isSamePlace } from "./dock-state.ts";
import { ServiceBar, ServicesButton } from "./services.tsx";
import { TerminalLink } from "./terminal-link.ts";
import { quoteOutput } from "./terminal-text.ts";
import type { DockView } from "./terminal-view.ts";

interface DockProps {
  readonly shell: Shell;
  readonly dock: DockState;
}

/** The actions of the terminal that is shown, for the bar. */
interface ShownScreen {
  readonly view: DockView;
}

type ScreenRef = RefObject<ShownScreen | null>;

/** The terminals of all projects, below the sessions. Hidden, it keeps their screens. */
export function TerminalDock({ shell }: { shell: Shell }) {
  const [dock] = useState(() => new DockState(shell));
  useEffect(() => dock.start(), []);
  const { isOpen, hasKeyboard } = shell.dock.value;
  const request = shell.dock.value;
  const tabs = dock.tabs.value;
  const shown = dock.shown.value;
  const element = useRef<HTMLElement>(null);
  const screen = useRef<ShownScreen | null>(null);
  const [searching, setSearching] = useState(false);
  const [matches, setMatches] = useState({ at: 0, count: 0 });
  const trouble = dock.trouble.value;
  // Until a screen or the button for one is ready, the dock itself has the focus.
  useLayoutEffect(() => {
    if (!hasKeyboard) return;
    const first = element.current?.querySelector<HTMLElement>("[data-first-focus]") ?? element.current;
    if (screen.current !== null) screen.current.view.focus();
    else first?.focus();
  }, [request, tabs === null]);
  const take = (wish: TerminalWish | null): boolean => {
    if (wish === "search") setSearching(shown !== null);
    else if (wish === "leave") leave(shell, element.current);
    return wish !== null;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // Meant for a terminal that is not there yet: it must not become a shortcut or a message.
    const isPlain = !event.ctrlKey && !event.altKey && !event.metaKey && !event.isComposing;
    // One that was opened may not be rendered yet: `screen` is then still that of the terminal before it.
    const isComing = dock.isOpening.peek() || dock.typedNext !== null;
    const isEarly = isComing || screen.current === null;
    if (isPlain && isEarly && event.key.length === 1) event.stopPropagation();
    const isAwaited = isComing || (shown !== null && screen.current === null);
    if (isPlain && isAwaited && event.target === element.current && dock.typeAhead(event.key)) event.preventDefault();
    if (!event.defaultPrevented && take(wishOf(event))) {
      event.preventDefault();
      event.stopPropagation();
    }
  };
  return (
    <section
      class="terminal-dock"
      aria-label="Terminal"
      tabIndex={-1}
      hidden={!isOpen}
      ref={element}
      style={{ "--dock": `${dock.height.value}px` }}
      onKeyDown={onKeyDown}
      // If the user has moved the focus elsewhere meanwhile, it stays there.
      onBlur={({ target, currentTarget }) => target === currentTarget && dock.takeTypedAhead()}
    >
      <DockGrip dock={dock} />
      <div class="terminal-bar" data-searching={searching ? "" : undefined}>
        <DockTabs dock={dock} focus={() => screen.current?.view.focus()} />
        {tabs !== null && tabs.length > 0 && <NewTerminal dock={dock} />}
        <ServicesButton shell={shell} dock={dock} />
        <span class="spacer" />
        {searching && shown !== null ? (
          <SearchField
            key={shown.terminal.terminalId}
            screen={screen}
            matches={matches}
            close={() => {
              setSearching(false);
              setMatches({ at: 0, count: 0 });
              screen.current?.view.endFind();
              screen.current?.view.focus();
            }}
          />
        ) : (
          shown !== null && (
            <>
              <AskAboutLast shell={shell} screen={screen} />
              <button
                type="button"
                class="icon-button"
                aria-label="Search output"
                title={withKey("Search output", "terminal-search")}
                aria-keyshortcuts={ariaKeys("terminal-search")}
                onClick={() => setSearching(true)}
              >
                <Icon name="search" />
              </button>
            </>
          )
        )}
        <button
          type="button"
          class="icon-button"
          aria-label="Hide terminal"
          title={withKey("Hide", "terminal")}
          onClick={() => shell.showDock(false)}
        >
          <Icon name="down" />
        </button>
      </div>
      {trouble !== null && (
        <DockTrouble trouble={trouble}>
          {tabs === null ? (
            <button type="button" class="button" onClick={() => void dock.list()}>
              <Icon name="refresh" class="icon-sm" />
              Try again
            </button>
          ) : (
            <button
              type="button"
              class="button"
              onClick={() => {
                dock.trouble.value = null;
              }}
            >
              Dismiss
            </button>
          )}
        </DockTrouble>
      )}
      {shown !== null && <ServiceBar shell={shell} dock={dock} terminal={shown.terminal} />}
      {tabs?.length === 0 && <NoTerminal dock={dock} />}
      <Panes
        shell={shell}
        dock={dock}
        screen={screen}
        isSearching={searching}
        takesKey={(event) => take(wishOf(event))}
        onMatches={setMatches}
      />
    </section>
  );
}

function wishOf(event: KeyboardEvent): TerminalWish | null {
  return findShortcut(IN_TERMINAL, pressOf(event));
}

function pressOf(event: KeyboardEvent) {
  const { ctrlKey: ctrl, metaKey: meta, shiftKey: shift, altKey: alt, code } = event;
  return { key: pressedKey(event), code, modifiers: { ctrl, meta, shift, alt }, typing: true };
}

/** The keyboard goes on to the session, or to the tab when there is none. */
function leave(shell: Shell, dock: HTMLElement | null): void {
  const id = shell.shownSession();
  if (id === null) dock?.querySelector<HTMLElement>('[role="tab"][aria-selected="true"]')?.focus();
  else shell.open(id, { focus: true });
}

const KEY_STEP_PX = 16;
/** The session keeps at least this height. */
const STAGE_PX_MIN = 160;

/** The upper edge, which is dragged or moved by the arrow keys. */
function DockGrip({ dock }: { dock: DockState }) {
  const px = dock.height.value;
  const max = Math.max(DOCK_PX_MIN, innerHeight - STAGE_PX_MIN);
  const resize = (to: number) => {
    dock.height.value = Math.max(DOCK_PX_MIN, Math.min(max, Math.round(to)));
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a separator that can be moved is a widget, which <hr> is not
    <div
      class="dock-grip"
      role="separator"
      aria-orientation="horizontal"
      aria-label="Resize terminal"
      aria-valuemin={DOCK_PX_MIN}
      aria-valuemax={max}
      aria-valuenow={Math.min(px, max)}
      tabIndex={0}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        document.body.dataset["dragging"] = "";
      }}
      onPointerMove={(event) => {
        const { currentTarget, pointerId, clientY } = event;
        const bottom = currentTarget.closest(".terminal-dock")?.getBoundingClientRect().bottom ?? innerHeight;
        if (currentTarget.hasPointerCapture(pointerId)) resize(bottom - clientY);
      }}
      onLostPointerCapture={() => {
        delete document.body.dataset["dragging"];
      }}
      onKeyDown={(event) => {
        const steps = { ArrowUp: 1, ArrowDown: -1 }[event.key];
        if (steps === undefined) return;
        event.preventDefault();
        resize(px + steps * KEY_STEP_PX);
      }}
    />
  );
}

const tabIdOf = (id: TerminalId): string => `terminal-tab-${id}`;
const panelIdOf = (id: TerminalId): string => `terminal-panel-${id}`;
const MIDDLE_BUTTON = 1;

/** As the tabs of sessions: tabs and their close buttons are two rows of one grid, no button is inside the tablist. */
function DockTabs({ dock, focus }: { dock: DockState; focus: () => void }) {
  const tabs = dock.tabs.value ?? [];
  const shown = dock.shown.value;
  const strip = useRef<HTMLDivElement>(null);
  const [hovered, setHovered] = useState<TerminalId | null>(null);
  const shownId = shown?.terminal.terminalId;
  useLayoutEffect(() => {
    if (shownId !== undefined)
      document.getElementById(tabIdOf(shownId))?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [shownId, tabs.length]);
  if (tabs.length === 0) return null;
  const goTo = (id: TerminalId | null | undefined) => {
    if (!id) return;
    dock.show(id);
    document.getElementById(tabIdOf(id))?.focus();
  };
  const typeInto = (id: TerminalId) => {
    // Its screen may not be shown yet, or not even loaded.
    dock.typedNext = id;
    dock.show(id);
    if (id === shownId) focus();
  };
  const closeAndStay = async (tab: DockTab) => {
    await dock.close(tab);
    const next = dock.shown.peek()?.terminal.terminalId;
    const bar = strip.current;
    // After the render: the next tab, or the button that opens the first.
    requestAnimationFrame(() => {
      if (next !== undefined) document.getElementById(tabIdOf(next))?.focus();
      else bar?.closest(".terminal-dock")?.querySelector<HTMLElement>("[data-first-focus]")?.focus();
    });
  };
  const onKeyDown = (event: KeyboardEvent, tab: DockTab) => {
    const keys: Readonly<Record<string, () => void>> = {
      ArrowRight: () => goTo(dock.step(1)),
      ArrowLeft: () => goTo(dock.step(-1)),
      Home: () => goTo(tabs[0]?.terminal.terminalId),
      End: () => goTo(tabs.at(-1)?.terminal.terminalId),
      Enter: () => typeInto(tab.terminal.terminalId),
      " ": () => typeInto(tab.terminal.terminalId),
      Delete: () => void closeAndStay(tab),
    };
    const act = keys[event.key];
    if (act === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act();
  };
  return (
    <div class="tabs" ref={strip} style={{ "--tabs": tabs.length }}>
      <div class="tab-row" role="tablist" aria-label="Terminals">
        {tabs.map((tab) => {
          const { terminal, title, placeName, startsGroup } = tab;
          const { terminalId: id, cwd } = terminal;
          const isShown = id === shownId;
          return (
            <div
              key={id}
              class="tab"
              role="tab"
              id={tabIdOf(id)}
              aria-selected={isShown}
              aria-controls={isShown ? panelIdOf(id) : undefined}
              aria-label={`${title} ${placeName}`}
              aria-description={stateOf(dock, terminal).words || undefined}
              tabIndex={isShown ? 0 : -1}
              title={cwd}
              data-lit={hovered === id ? "" : undefined}
              data-group={startsGroup ? "" : undefined}
              onClick={() => typeInto(id)}
              onMouseDown={(event) => {
                if (event.button === MIDDLE_BUTTON) event.preventDefault(); // no scrolling by middle button here
              }}
              onAuxClick={(event) => {
                if (event.button === MIDDLE_BUTTON) void dock.close(tab);
              }}
              onKeyDown={(event) => onKeyDown(event, tab)}
              onPointerEnter={() => setHovered(id)}
              onPointerLeave={() => setHovered(null)}
            >
              <TabMark dock={dock} terminal={terminal} />
              <span class="truncate">
                {title} <span class="sub">{placeName}</span>
              </span>
            </div>
          );
        })}
      </div>
      <div class="tab-row closers">
        {tabs.map((tab) => {
          const { terminalId: id } = tab.terminal;
          return (
            <span key={id} class="tab-closer" data-lit={hovered === id ? "" : undefined}>
              <button
                type="button"
                class="icon-button tab-close"
                data-repeatable=""
                aria-label={`Close terminal ${tab.title} ${tab.placeName}`}
                title={tab.terminal.end === null ? "Close and end what runs in it" : "Close"}
                tabIndex={id === shownId ? 0 : -1}
                onClick={() => void closeAndStay(tab)}
                onPointerEnter={() => setHovered(id)}
                onPointerLeave={() => setHovered(null)}
                onFocus={() => setHovered(id)}
                onBlur={() => setHovered(null)}
              >
                <Icon name="close" class="icon-sm" />
              </button>
            </span>
          );
        })}
      </div>
    </div>
  );
}

/** What a terminal is doing, for its mark and as it is read out. */
function stateOf(
  dock: DockState,
  terminal: TerminalInfo,
): { readonly mark: "place" | "ok" | "idle" | "failed" | "working"; readonly words: string } {
  const { kind, end } = terminal;
  if (end !== null) return { mark: end.exitCode === 0 ? "idle" : "failed", words: endWords(end.exitCode) };
  if (kind === "service") {
    const isWaiting = dock.serviceOf(terminal)?.state === "waiting";
    return isWaiting ? { mark: "failed", words: "restarting soon" } : { mark: "ok", words: "running" };
  }
  if (kind === "setup" || kind === "teardown") return { mark: "working", words: "running" };
  return { mark: "place", words: "" };
}

/** Where it runs; of a service or an ended program, how it is. */
function TabMark({ dock, terminal }: { dock: DockState; terminal: TerminalInfo }) {
  const { mark } = stateOf(dock, terminal);
  if (mark === "place") return <Icon name={terminal.worktreeId === null ? "folder" : "branch"} class="icon-sm" />;
  return (
    <span class="mark" data-state={mark}>
      {mark === "failed" && <Icon name="fail" class="icon-sm" />}
    </span>
  );
}

function endWords(exitCode: number | null): string {
  if (exitCode === null) return "Ended";
  return exitCode === 0 ? "Ended" : `Ended with exit code ${exitCode}`;
}

function elsewhereWords(name: string): string {
  return `${name} is on another machine, where no terminal can be opened yet. Show a session of this machine first.`;
}

/** The button is disabled while the terminal opens and would lose the keyboard: the dock keeps it for the terminal. */
function openFrom(button: HTMLElement, open: () => Promise<boolean>): void {
  button.closest<HTMLElement>(".terminal-dock")?.focus();
  void open();
}

function NewTerminal({ dock }: { dock: DockState }) {
  const place = dock.place.value;
  const name = place === null ? "" : dock.nameOf(place);
  return (
    <button
      type="button"
      class="icon-button"
      aria-label="New terminal"
      title={
        name === "" ? "Add a project first" : dock.canOpen.value ? `New terminal in ${name}` : elsewhereWords(name)
      }
      disabled={!dock.canOpen.value || dock.isOpening.value}
      onClick={(event) => openFrom(event.currentTarget, () => dock.open())}
    >
      <Icon name="plus" />
    </button>
  );
}

function NoTerminal({ dock }: { dock: DockState }) {
  const place = dock.place.value;
  return (
    <div class="empty">
      <Icon name="terminal" />
      <h2>No terminal open</h2>
      <p>
        {place === null
          ? "Add a project to open a shell in it."
          : !dock.canOpen.value
            ? elsewhereWords(dock.nameOf(place))
            : "A terminal keeps running when you close the page. It ends when you close its tab."}
      </p>
      {place !== null && dock.canOpen.value && (
        <div class="actions">
          <button
            type="button"
            class="button primary"
            data-first-focus=""
            disabled={dock.isOpening.value}
            onClick={(event) => openFrom(event.currentTarget, () => dock.open())}
          >
            New terminal in {dock.nameOf(place)}
          </button>
        </div>
      )}
    </div>
  );
}

function DockTrouble({ trouble, children }: { trouble: Trouble; children: ComponentChildren }) {
  return (
    <div class="dock-trouble">
      <TroubleNotice trouble={trouble}>{children}</TroubleNotice>
    </div>
  );
}

interface SearchFieldProps {
  readonly screen: ScreenRef;
  readonly matches: { readonly at: number; readonly count: number };
  readonly close: () => void;
}

function SearchField({ screen, matches: { at, count }, close }: SearchFieldProps) {
  const input = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    const { current } = input;
    if (current === null) return;
    const selected = screen.current?.view.selection ?? "";
    if (selected !== "" && !selected.includes("\n")) current.value = selected;
    current.select();
    current.focus();
    if (current.value !== "") screen.current?.view.find(current.value, "next", true);
  }, []);
  const find = (direction: "next" | "previous", isTyping = false) =>
    screen.current?.view.find(input.current?.value ?? "", direction, isTyping);
  const text = input.current?.value ?? "";
  // Over its limit, the search counts no position.
  const words = count === 0 ? (text === "" ? "" : "No matches") : at === 0 ? `${count}+` : `${at} of ${count}`;
  return (
    <search class="field">
      <Icon name="search" class="icon-sm" />
      <input
        ref={input}
        aria-label="Search terminal output"
        spellcheck={false}
        autocomplete="off"
        onInput={() => find("next", true)}
        onKeyDown={(event) => {
          if (event.key === "Escape") close();
          else if (event.key === "Enter") find(event.shiftKey ? "previous" : "next");
          else return;
          event.preventDefault();
          event.stopPropagation();
        }}
      />
      <span class="hits" role="status">
        {words}
      </span>
      <button
        type="button"
        class="icon-button small"
        aria-label="Previous match"
        title="Previous match (Shift+Enter)"
        data-repeatable=""
        onClick={() => find("previous")}
      >
        <Icon name="up" class="icon-sm" />
      </button>
      <button
        type="button"
        class="icon-button small"
        aria-label="Next match"
        title="Next match (Enter)"
        data-repeatable=""
        onClick={() => find("next")}
      >
        <Icon name="down" class="icon-sm" />
      </button>
      <button type="button" class="icon-button small" aria-label="End search" title="End search (Esc)" onClick={close}>
        <Icon name="close" class="icon-sm" />
      </button>
    </search>
  );
}

/** Puts output into the message of the session in view. It is not sent. */
function ask(shell: Shell, output: string): void {
  const id = shell.shownSession();
  if (id === null) shell.notify("Open a session first: the output goes into its message.");
  else if (output !== "") quoteInPortlet(id, quoteOutput(output));
}

function AskAboutLast({ shell, screen }: { shell: Shell; screen: ScreenRef }) {
  if (shell.shownSession() === null) return null;
  return (
    <button
      type="button"
      class="icon-button"
      aria-label="Ask about the last command"
      title="Ask about the last command: its output goes into your message"
      onClick={() => ask(shell, screen.current?.view.lastOutput ?? "")}
    >
      <Icon name="message" />
    </button>
  );
}

interface PanesProps extends DockProps {
  readonly screen: ScreenRef;
  /** What is selected then is a match. */
  readonly isSearching: boolean;
  readonly takesKey: (event: KeyboardEvent) => boolean;
  readonly onMatches: (matches: SearchFieldProps["matches"]) => void;
}

/** The screens of all terminals that were shown since the page was opened; the others are not read. */
function Panes(props: PanesProps) {
  const { shell, dock } = props;
  const seen = useRef<Set<TerminalId>>(new Set());
  const shown = dock.shown.value;
  if (shown !== null && shell.dock.value.isOpen) seen.current.add(shown.terminal.terminalId);
  return (
    <>
      {(dock.tabs.value ?? [])
        .filter(({ terminal }) => seen.current.has(terminal.terminalId))
        .map((tab) => (
          <TerminalPane key={tab.terminal.terminalId} {...props} tab={tab} isShown={tab === shown} />
        ))}
    </>
  );
}

interface PaneProps extends PanesProps {
  readonly tab: DockTab;
  readonly isShown: boolean;
}

function TerminalPane({ shell, dock, tab, isShown, screen, isSearching, takesKey, onMatches }: PaneProps) {
  const { terminal } = tab;
  const { terminalId, end } = terminal;
  const [view, setView] = useState<DockView | null>(null);
  const [trouble, setTrouble] = useState<Trouble | null>(null);
  const [hasSkipped, setSkipped] = useState(false);
  const [isSelected, setSelected] = useState(false);
  const place = useRef<HTMLDivElement>(null);
  const link = useRef<TerminalLink | null>(null);
  // Handlers that outlive a render.
  const latest = useRef({ tab, takesKey, onMatches, isShown });
  latest.current = { tab, takesKey, onMatches, isShown };

  useEffect(() => {
    let isOver = false;
    const stops: (() => void)[] = [];
    const open = ({ DockView: View }: typeof import("./terminal-view.ts")) => {
      if (isOver || place.current === null) return;
      const opened = new View({
        place: place.current,
        onInput: (data) => link.current?.input(data),
        takesKey: (event) => latest.current.takesKey(event) || toggles(shell, event),
        onPlaceChanged: () => {
          dock.lastSize = opened.fittingSize ?? dock.lastSize;
          link.current?.placeChanged();
        },
        onFocus: () => {
          dock.typedNext = null;
          link.current?.use();
        },
        onSelection: setSelected,
        onMatches: (matches) => {
          if (latest.current.isShown) latest.current.onMatches(matches);
        },
        opensPaths: () => {
          const at = dock.place.peek();
          return shell.shownSession() !== null && at !== null && isSamePlace(at, latest.current.tab.terminal);
        },
        openPath: (path) => {
          const id = shell.shownSession();
          if (id !== null) openPathInPortlet(id, path);
        },
      });
      const connected = new TerminalLink({
        terminalId,
        screen: opened,
        attempt: (request, notify) => shell.attempt(request, notify),
        onSkipped: () => setSkipped(true),
        onTrouble: (_words, refused) => setTrouble(refused),
      });
      link.current = connected;
      stops.push(
        shell.listen((message) => {
          connected.receive(message);
          if (message.type === "hello") void connected.attach();
        }),
        shell.listenToOutput((output) => connected.receiveOutput(output)),
        () => connected.detach(),
        () => opened[Symbol.dispose](),
      );
      void connected.attach();
      setView(opened);
    };
    // xterm is by far the largest part of the page.
    import("./terminal-view.ts").then(open, () =>
      setTrouble({ code: null, message: "The terminal could not be loaded. Reload the page." }),
    );
    return () => {
      isOver = true;
      for (const stop of stops) stop();
    };
  }, []);

  useEffect(() => link.current?.sizeTold(terminal), [terminal.columns, terminal.rows]);
  useEffect(() => {
    if (end !== null) view?.end();
  }, [view, end]);
  // Layout effects, so that whoever focuses the screen after a render finds it.
  useLayoutEffect(() => {
    if (!isShown || view === null) return;
    const own: ShownScreen = { view };
    screen.current = own;
    return () => {
      if (screen.current === own) screen.current = null;
    };
  }, [isShown, view]);
  // A terminal that was opened or chosen by hand is typed into next.
  useLayoutEffect(() => {
    if (!isShown || view === null) return;
    const isWanted = dock.typedNext === terminalId || (shell.dock.peek().hasKeyboard && !isOnTab());
    if (!isWanted || !isFree()) return;
    const typed = dock.takeTypedAhead();
    view.focus();
    if (typed !== "") link.current?.input(typed);
  }, [isShown, view]);
  return (
    <div
      class="terminal-pane"
      id={panelIdOf(terminalId)}
      role="tabpanel"
      aria-labelledby={tabIdOf(terminalId)}
      hidden={!isShown}
      data-ended={end === null ? undefined : ""}
    >
      {trouble !== null && (
        <DockTrouble trouble={trouble}>
          <button type="button" class="button" onClick={() => setTrouble(null)}>
            Dismiss
          </button>
        </DockTrouble>
      )}
      {hasSkipped && (
        <div class="terminal-note" role="status">
          <span>Output was skipped: it came faster than it could be shown.</span>
          <button
            type="button"
            class="icon-button small"
            aria-label="Dismiss"
            title="Dismiss"
            onClick={() => setSkipped(false)}
          >
            <Icon name="close" class="icon-sm" />
          </button>
        </div>
      )}
      <div class="terminal-screen" ref={place} aria-description={`${keyWords("terminal-leave")} leaves the terminal`} />
      {isSelected && !isSearching && view !== null && (
        <div class="pick-bar" role="toolbar" aria-label="Selected output">
          {shell.shownSession() !== null && (
            <button
              type="button"
              class="button small"
              onClick={() => {
                ask(shell, view.selection);
                view.clearSelection();
              }}
            >
              <Icon name="message" class="icon-sm" />
              Ask about this
            </button>
          )}
          <button
            type="button"
            class="button small"
            onClick={() => {
              void copyText(view.selection);
              view.focus();
            }}
          >
            <Icon name="copy" class="icon-sm" />
            Copy
          </button>
        </div>
      )}
      {end !== null && <Ended dock={dock} tab={tab} />}
    </div>
  );
}

/** Only the dock itself, or nothing, is focused. */
function isFree(): boolean {
  const { activeElement } = document;
  return activeElement === null || activeElement === document.body || activeElement.closest(".terminal-dock") !== null;
}

/** Arrow keys go from tab to tab: the keyboard stays there until Enter. */
function isOnTab(): boolean {
  return document.activeElement?.matches('.terminal-dock [role="tab"]') === true;
}

/** The key of the dock is the only one of the shell's that works in a program. */
function toggles(shell: Shell, event: KeyboardEvent): boolean {
  const shortcut = shellShortcut(pressOf(event));
  return shortcut?.do === "terminal" && runShortcut(shell, shortcut);
}

/** The last line of a terminal whose program has ended. A service has its state in its own bar. */
function Ended({ dock, tab }: { dock: DockState; tab: DockTab }) {
  const { terminal } = tab;
  const isService = useComputed(() => dock.serviceOf(terminal) !== undefined).value;
  if (isService || terminal.end === null) return null;
  return (
    <div class="terminal-ended" role="status">
      <span>{endWords(terminal.end.exitCode)}.</span>
      <span class="actions">
        {terminal.kind === "shell" && (
          <button
            type="button"
            class="button small"
            disabled={dock.isOpening.value}
            onClick={(event) => openFrom(event.currentTarget, () => dock.startAgain(tab))}
          >
            <Icon name="refresh" class="icon-sm" />
            Start again
          </button>
        )}
        <button type="button" class="button small ghost" onClick={() => void dock.close(tab)}>
          Close
        </button>
      </span>
    </div>
  );
}
