import { FitAddon } from "@xterm/addon-fit";
import { Terminal } from "@xterm/xterm";
import xtermStyles from "@xterm/xterm/css/xterm.css" with { type: "text" };
import { adoptStyles } from "../../ui/styles/adopt-styles.ts";
import { linkProvider } from "./link-provider.ts";
import ownStyles from "./terminal.css" with { type: "text" };
import { terminalTheme } from "./terminal-theme.ts";

const FONT_PX = 13;
const SCROLLBACK_LINES = 2_000;

interface TerminalViewOptions {
  readonly place: HTMLElement;
  readonly onInput: (data: string) => void;
  readonly onSize: (columns: number, rows: number) => void;
  /** The key that leaves it: Tab and Esc belong to the program inside. */
  readonly onLeave: () => void;
}

/** A real terminal on the page: what the program writes is shown, what the user types is sent. */
export class TerminalView implements Disposable {
  readonly #terminal: Terminal;
  readonly #fit = new FitAddon();
  readonly #resized: ResizeObserver;
  readonly #themed: MutationObserver;

  constructor({ place, onInput, onSize, onLeave }: TerminalViewOptions) {
    adoptStyles(xtermStyles);
    adoptStyles(ownStyles);
    this.#terminal = createTerminal(place);
    this.#terminal.loadAddon(this.#fit);
    this.#terminal.attachCustomKeyEventHandler((event) => this.#isForProgram(event, onLeave));
    this.#terminal.registerLinkProvider(linkProvider(this.#terminal, openPage));
    this.#terminal.onData(onInput);
    this.#terminal.onResize(({ cols, rows }) => onSize(cols, rows));
    this.#terminal.open(place);
    this.#terminal.textarea?.setAttribute("aria-label", "Terminal");
    this.#resized = new ResizeObserver(() => this.#fit.fit());
    this.#resized.observe(place);
    this.#themed = new MutationObserver(() => {
      this.#terminal.options.theme = terminalTheme(place);
    });
    this.#themed.observe(document.documentElement, { attributeFilter: ["data-theme"] });
  }

  get size(): { readonly columns: number; readonly rows: number } {
    return { columns: this.#terminal.cols, rows: this.#terminal.rows };
  }

  write(data: string): void {
    this.#terminal.write(data);
  }

  focus(): void {
    this.#terminal.focus();
  }

  /** The program has ended: nothing can be typed any more, all can still be read. */
  end(): void {
    this.#terminal.options.disableStdin = true;
    this.#terminal.options.cursorBlink = false;
  }

  [Symbol.dispose](): void {
    this.#resized.disconnect();
    this.#themed.disconnect();
    this.#terminal.dispose();
  }

  /** Copying a selection and pasting are the browser's; F6 leaves, as it leaves any pane. */
  #isForProgram(event: KeyboardEvent, onLeave: () => void): boolean {
    if (event.key === "F6") {
      event.preventDefault();
      if (event.type === "keydown") onLeave();
      return false;
    }
    const isCommand = event.ctrlKey && !event.altKey && !event.shiftKey && !event.metaKey;
    if (isCommand && event.key === "v") return false;
    return !(isCommand && event.key === "c" && this.#terminal.hasSelection());
  }
}

function createTerminal(place: HTMLElement): Terminal {
  return new Terminal({
    fontFamily: getComputedStyle(place).fontFamily,
    fontSize: FONT_PX,
    scrollback: SCROLLBACK_LINES,
    cursorBlink: !matchMedia("(prefers-reduced-motion: reduce)").matches,
    screenReaderMode: true,
    theme: terminalTheme(place),
    linkHandler: { activate: (_event, uri) => openPage(uri) },
  });
}

/** The page that opens learns nothing of ours, and only the web can be opened. */
function openPage(url: string): void {
  if (/^https?:\/\//.test(url)) window.open(url, "_blank", "noopener,noreferrer");
}
