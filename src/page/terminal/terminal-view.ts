import { FitAddon } from "@xterm/addon-fit";
import { type IBufferLine, type ILink, type ILinkProvider, type ITheme, Terminal } from "@xterm/xterm";
import { findLinks } from "./find-links.ts";

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

/** Opens web addresses only, without referrer or opener. */
function openPage(url: string): void {
  if (/^https?:\/\//.test(url)) window.open(url, "_blank", "noopener,noreferrer");
}

/** Makes web addresses in the output clickable, also those that wrap over several rows. */
function linkProvider(terminal: Terminal, open: (url: string) => void): ILinkProvider {
  return {
    provideLinks: (row, give) => give([...linksAt(terminal, row - 1, open)]),
  };
}

function linksAt(terminal: Terminal, row: number, open: (url: string) => void): readonly ILink[] {
  const { cols } = terminal;
  const first = firstRow(terminal, row);
  const text = wholeLine(terminal, first);
  const place = (column: number) => ({ x: (column % cols) + 1, y: first + Math.floor(column / cols) + 1 });
  return findLinks(text)
    .map(({ url, from, to }) => ({
      text: url,
      range: { start: place(from), end: place(to - 1) },
      activate: () => open(url),
    }))
    .filter(({ range }) => range.start.y <= row + 1 && range.end.y >= row + 1);
}

function lineAt(terminal: Terminal, row: number): IBufferLine | undefined {
  return terminal.buffer.active.getLine(row);
}

function firstRow(terminal: Terminal, row: number): number {
  let first = row;
  while (first > 0 && lineAt(terminal, first)?.isWrapped) first -= 1;
  return first;
}

/** Rows that wrap are full: a column of the text is a cell of the view. */
function wholeLine(terminal: Terminal, first: number): string {
  let text = lineAt(terminal, first)?.translateToString(false) ?? "";
  for (let row = first + 1; lineAt(terminal, row)?.isWrapped; row += 1) {
    text += lineAt(terminal, row)?.translateToString(false) ?? "";
  }
  return text;
}

/** The page has one tint of each hue, so the bright ones are the same. */
const COLOURS = [
  ["black", "brightBlack"],
  ["red", "brightRed"],
  ["green", "brightGreen"],
  ["yellow", "brightYellow"],
  ["blue", "brightBlue"],
  ["magenta", "brightMagenta"],
  ["cyan", "brightCyan"],
  ["white", "brightWhite"],
] as const;

/** The page's own colours as the terminal wants them: resolved, in the theme that is shown now. */
function terminalTheme(place: Element): ITheme {
  const probe = document.createElement("span");
  place.append(probe);
  const resolve = (role: string): string => {
    probe.style.color = `var(--${role})`;
    return getComputedStyle(probe).color;
  };
  const theme: ITheme = {
    background: resolve("sunken"),
    foreground: resolve("text"),
    cursor: resolve("accent"),
    cursorAccent: resolve("sunken"),
    selectionBackground: resolve("selection"),
  };
  for (const [plain, bright] of COLOURS) {
    theme[plain] = resolve(`ansi-${plain}`);
    theme[bright] = theme[plain];
  }
  probe.remove();
  return theme;
}
