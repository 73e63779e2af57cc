import { useEffect, useRef, useState } from "preact/hooks";
import { ignore } from "../../lib/ignore.ts";
import { Icon } from "../../ui/icons/icon.tsx";
import { Dialog } from "../controls/dialog.tsx";
import { TroubleNotice } from "../controls/trouble-notice.tsx";
import type { Shell } from "../state/shell.ts";
import type { SignInTerminal } from "../state/shell-dialog.ts";
import { signIn } from "../state/sign-in.ts";
import type { Trouble } from "../state/trouble.ts";
import { TerminalView } from "./terminal-view.ts";

export interface TerminalDialogProps {
  readonly shell: Shell;
  readonly terminal: SignInTerminal;
}

/** The agent's own login in a terminal. It goes by itself when the login succeeds, and stays to be read when not. */
export function TerminalDialog({ shell, terminal }: TerminalDialogProps) {
  const { title, done, back } = terminal;
  const [trouble, setTrouble] = useState<Trouble | null>(null);
  const closing = useRef<HTMLButtonElement>(null);
  const retry = useRef<HTMLButtonElement>(null);
  // A program that has ended takes no keys: Esc closes again, Enter tries again.
  useEffect(() => retry.current?.focus(), [trouble]);
  const onExit = (exitCode: number | null) => {
    if (exitCode === 0) shell.dialog.value = done;
    else setTrouble({ code: null, message: endWords(exitCode) });
  };
  const place = useTerminal(shell, terminal, onExit, () => closing.current?.focus());
  const again = () => void signIn(shell, terminal, (_words, refused) => setTrouble(refused));
  return (
    <Dialog title={title} wide keepsEscape={trouble === null} onClose={() => leave(shell, back)}>
      <div class="terminal-place" ref={place} />
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
          What you type goes to the agent's own login. <kbd>F6</kbd> leaves the terminal.
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
  if (exitCode === null) return "The terminal ended before the login was done.";
  return `The login ended with exit code ${exitCode}. What it said stands above.`;
}

/** Joins the place on the page with the program on the server, for as long as the dialog is there. */
function useTerminal(
  shell: Shell,
  { terminalId }: SignInTerminal,
  onExit: (exitCode: number | null) => void,
  onLeave: () => void,
) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (place.current === null) return;
    let isRunning = true;
    const ended = (exitCode: number | null) => {
      if (!isRunning) return;
      isRunning = false;
      view.end();
      onExit(exitCode);
    };
    // A terminal that is not there any more has ended while nobody could tell.
    const gone = () => ended(null);
    const resize = (columns: number, rows: number) =>
      void shell.attempt({ type: "terminal:resize", terminalId, columns, rows }, gone);
    const view = new TerminalView({
      place: place.current,
      onInput: (data) => void shell.attempt({ type: "terminal:input", terminalId, data }, gone),
      onSize: resize,
      onLeave,
    });
    const stop = shell.terminals.listen(terminalId, { output: (data) => view.write(data), exited: ended });
    const stopWatching = shell.phase.subscribe(({ phase }) => {
      if (phase === "open" && isRunning) resize(view.size.columns, view.size.rows);
    });
    view.focus();
    return () => {
      stop();
      stopWatching();
      if (isRunning) void shell.attempt({ type: "terminal:close", terminalId }, ignore("it has ended by itself"));
      isRunning = false;
      view[Symbol.dispose]();
    };
  }, [terminalId]);
  return place;
}
