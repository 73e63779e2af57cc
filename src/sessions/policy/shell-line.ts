/** One word as the shell would pass it to a program, as far as that is known before it runs. */
export interface ShellWord {
  readonly text: string;
  /** False if the shell would replace it: patterns, braces, a home directory, a variable. */
  readonly literal: boolean;
}

export interface Redirect {
  readonly direction: "in" | "out";
  readonly target: ShellWord;
}

export interface SimpleCommand {
  readonly words: readonly ShellWord[];
  readonly redirects: readonly Redirect[];
}

/** A parsed command line. With any doubt, its effect is unknown before it runs. */
export interface ShellLine {
  /** Every simple command in it, including those inside substitutions and groups. */
  readonly commands: readonly SimpleCommand[];
  /** What cannot be judged, as text. */
  readonly doubts: readonly string[];
}

const LINE_CHARS_MAX = 20_000;
const NESTING_LEVELS_MAX = 20;
const BLANK = /[ \t]/;
const WORD_END = /[ \t\n;&|<>()]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the point
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f]/;
/** Inside double quotes a backslash only escapes these. */
const ESCAPED_IN_DOUBLE = /[$`"\\\n]/;
/** The separators that every shell reads alike. For others, shells disagree on where a command starts. */
const SEPARATORS: ReadonlySet<string> = new Set([";", "&&", "||", "|", "&"]);
const DIFFERS = "shells read it differently";
const HISTORY = "some shells replace ! with an earlier command";

/** Parses a line as a POSIX shell would; what shells disagree on is a doubt. */
export function readShellLine(line: string): ShellLine {
  const found: Found = { commands: [], doubts: new Set() };
  if (line.length > LINE_CHARS_MAX) found.doubts.add("it is too long to be judged");
  else new ShellReader(line, found, 0).read();
  return { commands: found.commands, doubts: [...found.doubts] };
}

interface Found {
  readonly commands: SimpleCommand[];
  readonly doubts: Set<string>;
}

interface OpenCommand {
  words: ShellWord[];
  redirects: Redirect[];
}

class ShellReader {
  readonly #text: string;
  readonly #found: Found;
  #at = 0;
  #depth: number;
  /** After `<<` the following lines are text for a command. */
  #hasHereDocument = false;

  constructor(text: string, found: Found, depth: number) {
    this.#text = text;
    this.#found = found;
    this.#depth = depth;
  }

  read(): void {
    if (CONTROL.test(this.#text)) this.#doubt("it has control characters");
    this.#commands(null);
  }

  get #char(): string {
    return this.#text[this.#at] ?? "";
  }

  get #isAtEnd(): boolean {
    return this.#at >= this.#text.length;
  }

  #doubt(what: string): void {
    this.#found.doubts.add(what);
  }

  #takes(expected: string): boolean {
    if (!this.#text.startsWith(expected, this.#at)) return false;
    this.#at += expected.length;
    return true;
  }

  #commands(end: ")" | null): void {
    let open: OpenCommand = { words: [], redirects: [] };
    const close = () => {
      if (open.words.length > 0 || open.redirects.length > 0) this.#found.commands.push(open);
      open = { words: [], redirects: [] };
    };
    while (!this.#isAtEnd) {
      if (BLANK.test(this.#char)) this.#at += 1;
      else if (this.#continuesLine()) this.#at += 2;
      else if (end !== null && this.#char === end) break;
      else if (this.#takesSeparator()) close();
      else if (this.#takes("(")) {
        close();
        this.#doubt("it groups commands in parentheses");
        this.#nested();
      } else if (this.#takes(")")) {
        close();
        this.#doubt("its parentheses do not match");
      } else if (this.#isRedirect()) this.#redirect(open);
      else this.#addWord(open);
    }
    close();
  }

  /** Between two blanks a line continuation is a blank itself; elsewhere it may join both sides. */
  #continuesLine(): boolean {
    return this.#text.startsWith("\\\n", this.#at) && (this.#at === 0 || /\s/.test(this.#text[this.#at - 1] ?? ""));
  }

  /** The inside of `(…)`, `$(…)` or `<(…)`, from after its parenthesis to after its end. */
  #nested(): void {
    if (this.#depth >= NESTING_LEVELS_MAX) {
      this.#doubt("it is nested too deeply");
      this.#at = this.#text.length;
      return;
    }
    this.#depth += 1;
    this.#commands(")");
    this.#depth -= 1;
    if (!this.#takes(")")) this.#doubt("its parentheses do not match");
  }

  #takesSeparator(): boolean {
    if (this.#char === "\n") {
      this.#at = this.#hasHereDocument ? this.#text.length : this.#at + 1;
      return true;
    }
    const [run] = /^[;&|]+/.exec(this.#text.slice(this.#at, this.#at + 8)) ?? [];
    if (run === undefined) return false;
    this.#at += run.length;
    // `&>`, `&!`, `|&`, `;;`, `;&`, `&|` and other shell-specific operators.
    if (!SEPARATORS.has(run) || /[<>!]/.test(this.#char)) this.#doubt(`${DIFFERS}: ${run}${this.#char.trim()}`);
    return true;
  }

  #isRedirect(): boolean {
    return /^\d*[<>]/.test(this.#text.slice(this.#at, this.#at + 12));
  }

  #redirect(open: OpenCommand): void {
    const [operator = ""] =
      /^\d*(?:<<<|<<-?|<>|<&|<|>>|>\||>&|>)/.exec(this.#text.slice(this.#at, this.#at + 16)) ?? [];
    this.#at += operator.length;
    if (operator.includes("<<")) this.#doubt("it feeds text into a command");
    if (/<<-?$/.test(operator)) this.#hasHereDocument = true;
    if (this.#takes("(")) {
      this.#doubt("it runs a command inside another one");
      this.#nested();
      return;
    }
    // A file descriptor of more than one digit is a word to some shells.
    if (/^\d\d|<>$|>\|$/.test(operator) || /[<>&|;!]/.test(this.#char)) this.#doubt(`${DIFFERS}: ${operator}`);
    if (operator.endsWith("&")) {
      const [descriptor] = /^[\d-](?![^ \t\n;&|<>()])/.exec(this.#text.slice(this.#at, this.#at + 2)) ?? [];
      if (descriptor !== undefined) {
        this.#at += 1;
        return;
      }
      this.#doubt(`${DIFFERS}: ${operator}`);
    }
    while (BLANK.test(this.#char)) this.#at += 1;
    const target = this.#word();
    if (target.text === "" && target.literal) this.#doubt("it has a redirection without a target");
    else open.redirects.push({ direction: /^\d*<$/.test(operator) ? "in" : "out", target });
  }

  #addWord(open: OpenCommand): void {
    if (this.#char === "#") this.#doubt("it has a comment, which shells read differently");
    open.words.push(this.#word());
  }

  #word(): ShellWord {
    let text = "";
    let literal = true;
    let hasPatternSign = false;
    const start = this.#at;
    while (!this.#isAtEnd && !WORD_END.test(this.#char)) {
      const char = this.#char;
      if (char === "'") text += this.#singleQuoted();
      else if (char === '"') {
        const quoted = this.#doubleQuoted();
        text += quoted.text;
        literal &&= quoted.literal;
      } else if (char === "\\") text += this.#escaped();
      else if (char === "$" || char === "`") {
        text += this.#expansion();
        literal = false;
      } else {
        if (char === "!") this.#doubt(HISTORY);
        const isFirst = this.#at === start || /[:=]/.test(this.#text[this.#at - 1] ?? "");
        if (/[*?[\]{}]/.test(char) || (isFirst && /[~^#]/.test(char)) || (this.#at === start && char === "="))
          literal = false;
        if (/[~^#]/.test(char)) hasPatternSign = true;
        text += char;
        this.#at += 1;
      }
    }
    if (/^\d+$/.test(text) && /[<>]/.test(this.#char)) this.#doubt(`${DIFFERS}: ${text}${this.#char}`);
    // With extended patterns these characters exclude names; without a folder, the word still starts as written.
    if (hasPatternSign && text.includes("/")) literal = false;
    return { text, literal };
  }

  #escaped(): string {
    this.#at += 1;
    if (this.#isAtEnd) this.#doubt("it ends in a backslash");
    const char = this.#char;
    // `\n` is an n to most shells and a line end to some; a line continuation may join an operator.
    if (/[\n\p{L}\p{N}]/u.test(char))
      this.#doubt(`${DIFFERS}: a backslash before ${char === "\n" ? "a line end" : char}`);
    this.#at += 1;
    return char === "\n" ? "" : char;
  }

  #singleQuoted(): string {
    const end = this.#text.indexOf("'", this.#at + 1);
    if (end === -1) this.#doubt("a quote is not closed");
    const text = this.#text.slice(this.#at + 1, end === -1 ? undefined : end);
    this.#at = end === -1 ? this.#text.length : end + 1;
    if (text.endsWith("\\")) this.#doubt(`${DIFFERS}: a backslash before a quote`);
    return text;
  }

  #doubleQuoted(): ShellWord {
    let text = "";
    let literal = true;
    this.#at += 1;
    while (!this.#isAtEnd) {
      const char = this.#char;
      if (this.#takes('"')) return { text, literal };
      if (char === "$" || char === "`") {
        text += this.#expansion();
        literal = false;
      } else if (char === "\\" && ESCAPED_IN_DOUBLE.test(this.#text[this.#at + 1] ?? "")) text += this.#escaped();
      else {
        if (char === "!") this.#doubt(HISTORY);
        text += char;
        this.#at += 1;
      }
    }
    this.#doubt("a quote is not closed");
    return { text, literal };
  }

  /** `$…` and `` `…` ``: the value is only known when it runs. Its inside is still parsed. */
  #expansion(): string {
    if (this.#char === "`") return this.#backquoted();
    this.#at += 1;
    if (this.#takes("(")) {
      this.#doubt("it runs a command inside another one");
      this.#nested();
      return "$(…)";
    }
    if (this.#char === "'" || this.#char === '"') this.#doubt("it has a quote with its own escapes");
    else this.#doubt("it has a variable, which is expanded at run time");
    return "$";
  }

  #backquoted(): string {
    this.#doubt("it runs a command inside another one");
    const rest = this.#text.slice(this.#at + 1);
    const [inside = ""] = /^(?:[^`\\]|\\[\s\S])*/.exec(rest) ?? [];
    this.#at += inside.length + 2;
    if (inside.length === rest.length) this.#doubt("a quote is not closed");
    if (this.#depth >= NESTING_LEVELS_MAX) this.#doubt("it is nested too deeply");
    else new ShellReader(inside.replace(/\\([`\\$])/g, "$1"), this.#found, this.#depth + 1).read();
    return "`…`";
  }
}
