import { FitAddon } from "@xterm/addon-fit";
import { SearchAddon } from "@xterm/addon-search";
import {
  type IBufferLine,
  type ILink,
  type ILinkProvider,
  type IMarker,
  type ITerminalOptions,
  type ITheme,
  Terminal,
} from "@xterm/xterm";
import type { TerminalScreen, TerminalSize } from "./terminal-link.ts";
import { findLinks, findPaths } from "./terminal-text.ts";

const FONT_PX = 13;
const LINE_HEIGHT = 1.2;
const HIDE_CURSOR = "\u001b[?25l";
const SCROLLBACK_LINES = 2_000;
/** As much as the server keeps of a project's terminal, in lines of usual length. */
const DOCK_SCROLLBACK_LINES = 10_000;
/** Of a command's output, when the start of the command is not known. */
const LAST_LINES_MAX = 40;
const MATCHES_MAX = 1_000;

interface TerminalViewOptions {
  readonly place: HTMLElement;
  readonly onInput: (data: string) => void;
  /** Keys that are not for the program inside: true when it was one of them. Tab and Esc belong to the program. */
  readonly takesKey: (event: KeyboardEvent) => boolean;
}

interface SignInViewOptions extends TerminalViewOptions {
  readonly onSize: (columns: number, rows: number) => void;
}

/** A terminal on the page: shows the program's output and sends the user's input. */
export class TerminalView implements Disposable {
  protected readonly terminal: Terminal;
  protected readonly fit = new FitAddon();
  readonly #place: HTMLElement;
  readonly #resized: ResizeObserver;
  readonly #themed: MutationObserver;
  readonly #system = matchMedia("(prefers-color-scheme: dark)");
  readonly #takesKey: (event: KeyboardEvent) => boolean;

  constructor({ place, onInput, takesKey }: TerminalViewOptions, options: ITerminalOptions, onPlace: () => void) {
    this.#place = place;
    this.#takesKey = takesKey;
    this.terminal = createTerminal(place, options);
    this.terminal.loadAddon(this.fit);
    this.terminal.attachCustomKeyEventHandler((event) => this.#isForProgram(event));
    this.terminal.registerLinkProvider(linkProvider(this.terminal, findLinks, openPage));
    this.terminal.onData(onInput);
    this.terminal.open(place);
    this.terminal.textarea?.setAttribute("aria-label", "Terminal");
    this.#resized = new ResizeObserver(onPlace);
    this.#resized.observe(place);
    this.#themed = new MutationObserver(this.#showTheme);
    this.#themed.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    this.#system.addEventListener("change", this.#showTheme);
  }

  write(data: string | Uint8Array, onShown?: () => void): void {
    this.terminal.write(data, onShown);
  }

  focus(): void {
    this.terminal.focus();
  }

  /** The program has ended: input is disabled, the output stays readable. */
  end(): void {
    this.terminal.options.disableStdin = true;
    this.terminal.write(HIDE_CURSOR);
  }

  [Symbol.dispose](): void {
    this.#resized.disconnect();
    this.#themed.disconnect();
    this.#system.removeEventListener("change", this.#showTheme);
    this.terminal.dispose();
  }

  readonly #showTheme = () => {
    this.terminal.options.theme = terminalTheme(this.#place);
  };

  /** Copying a selection and pasting are left to the browser. */
  #isForProgram(event: KeyboardEvent): boolean {
    if (event.type === "keydown" && this.#takesKey(event)) {
      event.preventDefault();
      event.stopPropagation();
      return false;
    }
    const isCommand = event.ctrlKey && !event.altKey && !event.shiftKey && !event.metaKey;
    if (isCommand && event.key === "v") return false;
    return !(isCommand && event.key === "c" && this.terminal.hasSelection());
  }
}

/** The login of an agent: always as large as its place. */
export class SignInView extends TerminalView {
  constructor(options: SignInViewOptions) {
    super(options, { scrollback: SCROLLBACK_LINES }, () => this.fit.fit());
    this.terminal.onResize(({ cols, rows }) => options.onSize(cols, rows));
  }

  get size(): TerminalSize {
    return { columns: this.terminal.cols, rows: this.terminal.rows };
  }
}

interface DockViewOptions extends TerminalViewOptions {
  readonly onPlaceChanged: () => void;
  readonly onFocus: () => void;
  /** Some output is selected, or none any more. */
  readonly onSelection: (isSelected: boolean) => void;
  /** How many places match the searched text, and which of them is the current one, from 1 on. */
  readonly onMatches: (matches: { readonly at: number; readonly count: number }) => void;
  /** Whether paths in the output can be opened now. */
  readonly opensPaths: () => boolean;
  readonly openPath: (path: string) => void;
}

/** A project's terminal. Its size is not its own choice: the terminal may be used in another window. */
export class DockView extends TerminalView implements TerminalScreen {
  readonly #search = new SearchAddon({ highlightLimit: MATCHES_MAX });
  readonly #place: HTMLElement;
  /** Where the cursor was when Enter was pressed last: the command's own line. */
  #command: IMarker | undefined;

  constructor(options: DockViewOptions) {
    const onInput = (data: string) => {
      if (data.endsWith("\r") && this.terminal.buffer.active.type === "normal")
        this.#command = this.terminal.registerMarker();
      options.onInput(data);
    };
    // The highlights of a search are decorations, which xterm counts as a proposed interface.
    super(
      { ...options, onInput },
      { scrollback: DOCK_SCROLLBACK_LINES, lineHeight: LINE_HEIGHT, allowProposedApi: true },
      () => options.onPlaceChanged(),
    );
    this.#place = options.place;
    this.terminal.loadAddon(this.#search);
    const paths = (text: string) => (options.opensPaths() ? findPaths(text) : []);
    this.terminal.registerLinkProvider(linkProvider(this.terminal, paths, options.openPath));
    this.terminal.onSelectionChange(() => options.onSelection(this.terminal.hasSelection()));
    this.terminal.textarea?.addEventListener("focus", options.onFocus);
    this.#search.onDidChangeResults(({ resultIndex, resultCount }) =>
      options.onMatches({ at: resultIndex + 1, count: resultCount }),
    );
  }

  /** After the output that was written before. */
  resize({ columns, rows }: TerminalSize): void {
    this.terminal.write("", () => this.terminal.resize(columns, rows));
  }

  get fittingSize(): TerminalSize | null {
    const size = this.#place.offsetParent === null ? undefined : this.fit.proposeDimensions();
    if (size === undefined || !(size.cols > 1 && size.rows > 1)) return null;
    return { columns: size.cols, rows: size.rows };
  }

  get hasFocus(): boolean {
    return this.terminal.textarea !== undefined && document.activeElement === this.terminal.textarea;
  }

  get selection(): string {
    return this.terminal.getSelection();
  }

  clearSelection(): void {
    this.terminal.clearSelection();
  }

  /** The last command with its output, or the last lines when its start is unknown. */
  get lastOutput(): string {
    const { active } = this.terminal.buffer;
    const cursor = active.baseY + active.cursorY;
    const known = this.#command?.isDisposed === false && this.#command.line < cursor ? this.#command.line : null;
    const lines: string[] = [];
    for (let row = known ?? 0; row < cursor + (known === null ? 1 : 0); row += 1) {
      const line = active.getLine(row);
      const text = line?.translateToString(true) ?? "";
      if (line?.isWrapped) lines.push((lines.pop() ?? "") + text);
      else lines.push(text);
    }
    return (known === null ? lines.slice(-LAST_LINES_MAX) : lines).join("\n").trim();
  }

  /** Marks all matches and goes to the next one; `isTyping`: the current one stays as long as it matches. */
  find(text: string, direction: "next" | "previous", isTyping = false): void {
    const options = { incremental: isTyping, decorations: matchColours(this.#place) };
    if (direction === "next") this.#search.findNext(text, options);
    else this.#search.findPrevious(text, options);
  }

  endFind(): void {
    this.#search.clearDecorations();
    this.terminal.clearSelection();
  }
}

function createTerminal(place: HTMLElement, options: ITerminalOptions): Terminal {
  return new Terminal({
    fontFamily: getComputedStyle(place).fontFamily,
    fontSize: FONT_PX,
    cursorBlink: !matchMedia("(prefers-reduced-motion: reduce)").matches,
    screenReaderMode: true,
    theme: terminalTheme(place),
    // The text of such a link is arbitrary: its address is shown.
    linkHandler: {
      activate: (_event, uri) => openPage(uri),
      hover: (_event, uri) => {
        place.title = uri;
      },
      leave: () => {
        place.title = "";
      },
    },
    ...options,
  });
}

/** Opens web addresses only, without referrer or opener. */
function openPage(url: string): void {
  if (/^https?:\/\//.test(url)) window.open(url, "_blank", "noopener,noreferrer");
}

type Find = typeof findLinks;

/** Makes what is found in the output clickable, also what wraps over several rows. */
function linkProvider(terminal: Terminal, find: Find, open: (url: string) => void): ILinkProvider {
  return {
    provideLinks: (row, give) => give([...linksAt(terminal, row - 1, find, open)]),
  };
}

function linksAt(terminal: Terminal, row: number, find: Find, open: (url: string) => void): readonly ILink[] {
  const { cols } = terminal;
  const first = firstRow(terminal, row);
  const text = wholeLine(terminal, first);
  const place = (column: number) => ({ x: (column % cols) + 1, y: first + Math.floor(column / cols) + 1 });
  return find(text)
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

/** Wrapped rows are full: a column of the text is a cell of the view. */
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

/** The page's colours by their roles: resolved, in the current theme. */
function resolveColours<Result>(place: Element, read: (resolve: (role: string) => string) => Result): Result {
  const probe = document.createElement("span");
  place.append(probe);
  const result = read((role) => {
    probe.style.color = `var(--${role})`;
    return getComputedStyle(probe).color;
  });
  probe.remove();
  return result;
}

const HEX = 16;

/** The accent colour, as for any search: amber would mean that something waits for the user. */
function matchColours(place: Element) {
  return resolveColours(place, (resolve) => {
    const hex = (role: string) => {
      const parts = resolve(role).match(/\d+/g) ?? [];
      return `#${parts
        .slice(0, 3)
        .map((part) => Number(part).toString(HEX).padStart(2, "0"))
        .join("")}`;
    };
    return {
      matchBackground: hex("accent-soft"),
      matchBorder: hex("line-control"),
      matchOverviewRuler: hex("line-control"),
      activeMatchBackground: hex("selection"),
      activeMatchBorder: hex("accent"),
      activeMatchColorOverviewRuler: hex("accent"),
    };
  });
}

function terminalTheme(place: Element): ITheme {
  return resolveColours(place, readTheme);
}

function readTheme(resolve: (role: string) => string): ITheme {
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
  return theme;
}
