import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { ignore } from "../../lib/ignore.ts";
import { Icon } from "../../ui/icons/icon.tsx";
import { Dialog } from "../controls/dialog.tsx";
import { TroubleNotice } from "../controls/trouble-notice.tsx";
import type { Shell } from "../state/shell.ts";
import { signIn } from "../state/shell-actions.ts";
import type { SignInTerminal } from "../state/shell-dialog.ts";
import type { Trouble } from "../state/trouble.ts";
import type { SignInView } from "./terminal-view.ts";

interface TerminalDialogProps {
  readonly shell: Shell;
  readonly terminal: SignInTerminal;
}

/** The agent's own login in a terminal. Closes when the login succeeds; stays open after a failure. */
export function TerminalDialog({ shell, terminal }: TerminalDialogProps) {
  const { title, done, back } = terminal;
  const [trouble, setTrouble] = useState<Trouble | null>(null);
  const closing = useRef<HTMLButtonElement>(null);
  const retry = useRef<HTMLButtonElement>(null);
  // After the program has ended, Esc closes the dialog and Enter tries again.
  useLayoutEffect(() => retry.current?.focus(), [trouble]);
  const onExit = (exitCode: number | null) => {
    if (exitCode === 0) shell.dialog.value = done;
    else setTrouble({ code: null, message: endWords(exitCode) });
  };
  const place = useTerminal(shell, terminal, {
    onExit,
    onLeave: () => closing.current?.focus(),
    onLoadFailed: () =>
      setTrouble({ code: null, message: "The terminal could not be loaded. Reload the page and sign in again." }),
  });
  const again = () => void signIn(shell, terminal, (_words, refused) => setTrouble(refused));
  return (
    <Dialog title={title} wide keepsEscape={trouble === null} onClose={() => leave(shell, back)}>
      <div class="terminal-place" tabIndex={-1} data-first-focus ref={place} />
      {trouble !== null && (
        <div class="terminal-end">
          <TroubleNotice trouble={trouble}>
            <button type="button" class="button primary" ref={retry} onClick={again}>
              <Icon name="refresh" class="icon-sm" />
              Try again
            </button>
          </TroubleNotice>
        </div>
      )}
      <footer class="dialog-foot">
        <span class="faint wide-only">
          Your input goes to the agent's own login. <kbd>F6</kbd> leaves the terminal.
        </span>
        <span class="spacer" />
        <button type="button" class="button ghost" ref={closing} onClick={() => leave(shell, back)}>
          {trouble === null ? "Cancel" : "Close"}
        </button>
      </footer>
    </Dialog>
  );
}

function leave(shell: Shell, back: SignInTerminal["back"]): void {
  shell.dialog.value = back;
}

function endWords(exitCode: number | null): string {
  if (exitCode === null) return "The terminal closed before the login finished.";
  return `The login failed with exit code ${exitCode}. See its output above.`;
}

interface TerminalEvents {
  readonly onExit: (exitCode: number | null) => void;
  readonly onLeave: () => void;
  readonly onLoadFailed: () => void;
}

/** Connects the terminal on the page to the program on the server while the dialog is open. */
function useTerminal(shell: Shell, { terminalId }: SignInTerminal, events: TerminalEvents) {
  const { onExit, onLeave, onLoadFailed } = events;
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    let view: SignInView | null = null;
    let isRunning = true;
    const ended = (exitCode: number | null) => {
      if (!isRunning) return;
      isRunning = false;
      view?.end();
      onExit(exitCode);
    };
    // A terminal that no longer exists ended while this page was not connected.
    const gone = () => ended(null);
    const resize = (columns: number, rows: number) =>
      void shell.attempt({ type: "terminal:resize", terminalId, columns, rows }, gone);
    const stops: (() => void)[] = [];
    const show = ({ SignInView: View }: typeof import("./terminal-view.ts")) => {
      if (!isRunning) return;
      const shown = new View({
        place: element,
        onInput: (data) => void shell.attempt({ type: "terminal:input", terminalId, data }, gone),
        onSize: resize,
        takesKey: ({ key }) => {
          if (key === "F6") onLeave();
          return key === "F6";
        },
      });
      view = shown;
      stops.push(
        shell.terminals.listen(terminalId, { output: (data) => shown.write(data), exited: ended }),
        shell.phase.subscribe(({ phase }) => {
          if (phase === "open" && isRunning) resize(shown.size.columns, shown.size.rows);
        }),
      );
      shown.focus();
    };
    // xterm is by far the largest part of the page, and only a sign-in uses it.
    import("./terminal-view.ts").then(show, onLoadFailed);
    return () => {
      for (const stop of stops) stop();
      if (isRunning) void shell.attempt({ type: "terminal:close", terminalId }, ignore("it has already ended"));
      isRunning = false;
      view?.[Symbol.dispose]();
    };
  }, [terminalId]);
  return place;
}
