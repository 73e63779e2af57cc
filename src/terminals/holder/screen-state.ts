const ESC = 0x1b;
const LF = 0x0a;
const BEL = 0x07;
const SHIFT_OUT = 0x0e;
const SHIFT_IN = 0x0f;
const CANCEL = 0x18;
const SUBSTITUTE = 0x1a;

/** Sequences longer than this are followed to their end, but not read. */
const SEQUENCE_BYTES_MAX = 256;
/** Longer links are not kept. */
const LINK_BYTES_MAX = 2_048;
/** Of different modes that a program may set; a terminal has fewer. */
const MODES_MAX = 128;

const ALTERNATE_SCREENS = new Set(["?47", "?1047", "?1049"]);
/** Only tells the screen when to draw. */
const SYNCHRONIZED_OUTPUT = "?2026";
const SAVES_CURSOR = "?1048";
/** What a soft reset puts back, besides attributes, character sets and the scroll region. */
const SOFT_RESET_MODES = ["?1", "?6", "?7", "?25", "?45", "?66", "?1004", "?2004", "4"];

type Parser = "text" | "escape" | "sequence" | "osc" | "string" | "oscEscape" | "stringEscape" | "charset";

interface Saved {
  readonly attributes: ReadonlyMap<string, string>;
  readonly charset: string;
  readonly link: string;
}

/**
 * What a terminal's screen remembers besides its cells: modes, attributes, character sets, scroll region. It reads the
 * output that is no longer kept, so that a fresh screen can be put into the state that the kept output assumes.
 */
export class ScreenState {
  #parser: Parser = "text";
  #pending: number[] = [];
  #isTooLong = false;
  /** Bytes of a character that are still to come. */
  #characterBytesLeft = 0;
  /** By number, in the order in which they were changed last; `h` or `l`. */
  #modes = new Map<string, "h" | "l">();
  #isAlternate = false;
  #regions = { normal: "", alternate: "" };
  #attributes = new Map<string, string>();
  #charsets = ["B", "B", "B", "B"];
  #shift = 0;
  #cursorStyle = "";
  /** The start of the text in an OSC sequence. */
  #osc: Uint8Array[] = [];
  #oscBytes = 0;
  /** The link that text belongs to: an OSC 8 sequence. */
  #link = "";
  /** The one in use: of `#shift`, unless another one was restored. */
  #charset = "B";
  #saved: { normal: Saved | null; alternate: Saved | null } = { normal: null, alternate: null };

  clone(): ScreenState {
    const copy = new ScreenState();
    copy.#parser = this.#parser;
    copy.#pending = [...this.#pending];
    copy.#isTooLong = this.#isTooLong;
    copy.#characterBytesLeft = this.#characterBytesLeft;
    copy.#modes = new Map(this.#modes);
    copy.#isAlternate = this.#isAlternate;
    copy.#regions = { ...this.#regions };
    copy.#attributes = new Map(this.#attributes);
    copy.#charsets = [...this.#charsets];
    copy.#shift = this.#shift;
    copy.#cursorStyle = this.#cursorStyle;
    copy.#osc = [...this.#osc];
    copy.#oscBytes = this.#oscBytes;
    copy.#link = this.#link;
    copy.#charset = this.#charset;
    copy.#saved = { ...this.#saved };
    return copy;
  }

  get isAlternate(): boolean {
    return this.#isAlternate;
  }

  /** Between two characters or sequences: output may be cut here. */
  get isBetween(): boolean {
    return this.#parser === "text" && this.#characterBytesLeft === 0;
  }

  /** A new size makes the whole screen scroll again. */
  resized(): void {
    this.#regions = { normal: "", alternate: "" };
  }

  read(bytes: Uint8Array): void {
    let at = 0;
    while (at < bytes.byteLength) {
      if (this.#parser === "text") at = this.#readText(bytes, at);
      else if (this.#parser === "osc" || this.#parser === "string") at = this.#skipString(bytes, at);
      else this.#step(bytes[at++] ?? 0);
    }
  }

  /** Reads until output may be cut: returns how many bytes that took, or all of them. */
  readToCut(bytes: Uint8Array): number {
    let at = 0;
    while (at < bytes.byteLength && !this.isBetween) this.read(bytes.subarray(at, ++at));
    return at;
  }

  /** For a screen that was just reset. */
  prelude(rows: number, isCut: boolean): string {
    const modes = [...this.#modes].map(([mode, value]) =>
      mode.startsWith("?") ? `\x1b[?${mode.slice(1)}${value}` : `\x1b[${mode}${value}`,
    );
    const { normal, alternate } = this.#regions;
    const region = (text: string) => (text === "" ? "" : `\x1b[${text}r`);
    const charsets = this.#charsets.map((set, index) => {
      const used = index === this.#shift ? this.#charset : set;
      return used === "B" ? "" : `\x1b${"()*+"[index]}${used}`;
    });
    const save = (saved: Saved | null) =>
      saved
        ? `${attributesText(saved.attributes)}${saved.link}\x1b(${saved.charset}\x1b7\x1b(B\x1b[0m\x1b]8;;\x1b\\`
        : "";
    const shifts = ["", "\x0e", "\x1bn", "\x1bo"];
    // What was on the screen is gone. Its last line is where programs that write lines are.
    const cursor = isCut && !this.isAlternate ? `\x1b[${rows};1H` : "";
    const strings: Partial<Record<Parser, string>> = { osc: "\x1b]99999;", string: "\x1b_" };
    return [
      region(normal),
      save(this.#saved.normal),
      // Of the three ways to the other screen, this one does not save the cursor again.
      this.isAlternate ? `\x1b[?1047h${region(alternate)}${save(this.#saved.alternate)}` : "",
      ...modes.filter((text) => text !== "\x1b[?6h"),
      ...charsets,
      shifts[this.#shift],
      this.#cursorStyle,
      cursor,
      this.#modes.get("?6") === "h" ? "\x1b[?6h" : "",
      attributesText(this.#attributes),
      this.#link,
      strings[this.#parser],
    ].join("");
  }

  /** Up to the next escape sequence. The searches are native: most output is text. */
  #readText(bytes: Uint8Array, from: number): number {
    const next = bytes.indexOf(ESC, from);
    const end = next === -1 ? bytes.byteLength : next;
    this.#readShifts(bytes, from, end);
    this.#characterBytesLeft = next === -1 ? this.#leftOfCharacter(bytes, from, end) : 0;
    if (next === -1) return end;
    this.#parser = "escape";
    this.#pending = [];
    this.#isTooLong = false;
    return end + 1;
  }

  #readShifts(bytes: Uint8Array, from: number, to: number): void {
    const text = bytes.subarray(from, to);
    const out = text.lastIndexOf(SHIFT_OUT);
    const back = text.lastIndexOf(SHIFT_IN);
    if (out !== back) this.#use(out > back ? 1 : 0);
  }

  #leftOfCharacter(bytes: Uint8Array, from: number, to: number): number {
    for (let at = to - 1; at >= from && at >= to - 3; at--) {
      const byte = bytes[at] ?? 0;
      if (byte < 0x80) return 0;
      if (byte >= 0xc0) return Math.max(0, lengthOfCharacter(byte) - (to - at));
    }
    return Math.max(0, this.#characterBytesLeft - (to - from));
  }

  /** Texts of titles, clipboards and pictures. */
  #skipString(bytes: Uint8Array, from: number): number {
    const isOsc = this.#parser === "osc";
    const rest = bytes.subarray(from);
    const ends = [ESC, CANCEL, SUBSTITUTE, ...(isOsc ? [BEL] : [])].map((byte) => rest.indexOf(byte));
    const end = Math.min(...ends.filter((index) => index !== -1));
    if (isOsc) this.#keepOsc(rest.subarray(0, Math.min(end, rest.byteLength)));
    if (end === Number.POSITIVE_INFINITY) return bytes.byteLength;
    if (isOsc && (rest[end] === BEL || rest[end] === ESC)) this.#endOsc();
    this.#parser = rest[end] === ESC ? (isOsc ? "oscEscape" : "stringEscape") : "text";
    return from + end + 1;
  }

  #keepOsc(bytes: Uint8Array): void {
    this.#oscBytes += bytes.byteLength;
    if (this.#oscBytes <= LINK_BYTES_MAX) this.#osc.push(bytes.slice());
  }

  #endOsc(): void {
    const isKept = this.#oscBytes <= LINK_BYTES_MAX;
    const text = isKept ? Buffer.concat(this.#osc).toString() : "";
    const [, uri] = /^8;[^;]*;(.*)$/s.exec(text) ?? [];
    if (uri !== undefined) this.#link = uri === "" ? "" : `\x1b]${text}\x1b\\`;
  }

  #step(byte: number): void {
    if (byte === CANCEL || byte === SUBSTITUTE) {
      this.#parser = "text";
      return;
    }
    if (byte === ESC) {
      this.#parser = "escape";
      this.#pending = [];
      this.#isTooLong = false;
      return;
    }
    switch (this.#parser) {
      case "oscEscape":
      case "stringEscape":
        this.#parser = "text";
        // ESC \ ends the text; any other sequence ends it, too, and counts.
        if (byte !== 0x5c) {
          this.#parser = "escape";
          this.#pending = [];
          this.#step(byte);
        }
        break;
      case "escape":
        this.#escape(byte);
        break;
      case "charset":
        this.#pending.push(byte);
        if (byte >= 0x30) this.#endCharset();
        break;
      case "sequence":
        if (byte < 0x20) break;
        if (byte >= 0x40 && byte <= 0x7e) {
          this.#parser = "text";
          if (!this.#isTooLong) this.#sequence(String.fromCharCode(...this.#pending), String.fromCharCode(byte));
        } else if (this.#pending.length < SEQUENCE_BYTES_MAX) this.#pending.push(byte);
        else this.#isTooLong = true;
        break;
    }
  }

  #escape(byte: number): void {
    if (byte < 0x20) return;
    const letter = String.fromCharCode(byte);
    if (byte >= 0x20 && byte <= 0x2f) {
      this.#pending = [byte];
      this.#parser = "charset";
      return;
    }
    this.#parser = "text";
    if (letter === "[") this.#parser = "sequence";
    else if (letter === "]") {
      this.#parser = "osc";
      this.#osc = [];
      this.#oscBytes = 0;
    } else if (letter === "P" || letter === "X" || letter === "^" || letter === "_") this.#parser = "string";
    else if (letter === "=") this.#setMode("?66", "h");
    else if (letter === ">") this.#setMode("?66", "l");
    else if (letter === "7") this.#save();
    else if (letter === "8") this.#restore();
    else if (letter === "c") this.#reset();
    else if (letter === "n") this.#use(2);
    else if (letter === "o") this.#use(3);
  }

  #use(shift: number): void {
    this.#shift = shift;
    this.#charset = this.#charsets[shift] ?? "B";
  }

  #endCharset(): void {
    this.#parser = "text";
    const [first = 0, ...rest] = this.#pending;
    const index = "()*+".indexOf(String.fromCharCode(first));
    if (index === -1) return;
    this.#charsets[index] = String.fromCharCode(...rest);
    if (index === this.#shift) this.#use(index);
  }

  #sequence(parameters: string, final: string): void {
    const isPrivate = parameters.startsWith("?");
    if ((final === "h" || final === "l") && /^\??[\d;]*$/.test(parameters)) {
      for (const mode of parameters.replace("?", "").split(";"))
        this.#setMode(`${isPrivate ? "?" : ""}${Number(mode)}`, final);
    } else if (final === "m" && /^[\d;:]*$/.test(parameters)) this.#setAttributes(parameters);
    else if (final === "r" && /^[\d;]*$/.test(parameters)) this.#setRegion(parameters);
    else if (final === "p" && parameters === "!") this.#softReset();
    else if (final === "q" && /^\d* $/.test(parameters)) this.#cursorStyle = `\x1b[${parameters}q`;
    else if (final === "s" && parameters === "") this.#save();
    else if (final === "u" && parameters === "") this.#restore();
  }

  #setMode(mode: string, value: "h" | "l"): void {
    if (mode === SYNCHRONIZED_OUTPUT) return;
    const saves = mode === SAVES_CURSOR || mode === "?1049";
    if (saves && value === "h") this.#save();
    if (ALTERNATE_SCREENS.has(mode)) {
      this.#isAlternate = value === "h";
      if (value === "l") this.#regions.alternate = "";
    }
    if (saves && value === "l") this.#restore();
    if (saves || ALTERNATE_SCREENS.has(mode)) return;
    this.#modes.delete(mode);
    if (this.#modes.size < MODES_MAX) this.#modes.set(mode, value);
  }

  #setRegion(parameters: string): void {
    this.#regions[this.#screen] = parameters;
  }

  #setAttributes(parameters: string): void {
    const codes = (parameters === "" ? "0" : parameters).split(";");
    for (let at = 0; at < codes.length; at++) {
      const code = codes[at] ?? "";
      const number = Number.parseInt(code || "0", 10);
      if ((number === 38 || number === 48 || number === 58) && !code.includes(":")) {
        const count = codes[at + 1] === "5" ? 3 : codes[at + 1] === "2" ? 5 : codes.length;
        this.#attributes.set(COLOURS[number], codes.slice(at, at + count).join(";"));
        at += count - 1;
      } else this.#setAttribute(number, code);
    }
  }

  #setAttribute(number: number, code: string): void {
    const ended = ATTRIBUTE_ENDS[number];
    if (number === 0) this.#attributes.clear();
    else if (ended) for (const slot of ended) this.#attributes.delete(slot);
    else if (number === 4 && code === "4:0") this.#attributes.delete("4");
    else {
      const slot = slotOf(number);
      if (slot !== null) this.#attributes.set(slot, code);
    }
  }

  #save(): void {
    this.#saved[this.#screen] = { attributes: new Map(this.#attributes), charset: this.#charset, link: this.#link };
  }

  #restore(): void {
    const saved = this.#saved[this.#screen];
    this.#attributes = new Map(saved?.attributes);
    this.#charset = saved?.charset ?? "B";
    // A screen restores that text is a link, not which one.
    if (!saved?.link) this.#link = "";
  }

  get #screen(): "normal" | "alternate" {
    return this.#isAlternate ? "alternate" : "normal";
  }

  #softReset(): void {
    for (const mode of SOFT_RESET_MODES) this.#modes.delete(mode);
    this.#regions[this.#screen] = "";
    this.#attributes.clear();
    this.#link = "";
    this.#charsets = ["B", "B", "B", "B"];
    this.#use(0);
    this.#saved[this.#screen] = null;
  }

  #reset(): void {
    this.#softReset();
    this.#modes.clear();
    this.#isAlternate = false;
    this.#saved = { normal: null, alternate: null };
    this.#regions = { normal: "", alternate: "" };
    this.#cursorStyle = "";
  }
}

const COLOURS = { 38: "foreground", 48: "background", 58: "underline" } as const;
const ATTRIBUTE_ENDS: Readonly<Record<number, readonly string[]>> = {
  22: ["1", "2"],
  23: ["3"],
  24: ["4"],
  25: ["5"],
  27: ["7"],
  28: ["8"],
  29: ["9"],
  39: ["foreground"],
  49: ["background"],
  55: ["53"],
  59: ["underline"],
};

function attributesText(attributes: ReadonlyMap<string, string>): string {
  return attributes.size === 0 ? "" : `\x1b[${[...attributes.values()].join(";")}m`;
}

/** Attributes that replace each other share a slot. */
function slotOf(number: number): string | null {
  if (number === 21) return "4";
  if (number === 6) return "5";
  if ((number >= 1 && number <= 9) || number === 53) return String(number);
  if ((number >= 30 && number <= 38) || (number >= 90 && number <= 97)) return "foreground";
  if ((number >= 40 && number <= 48) || (number >= 100 && number <= 107)) return "background";
  return number === 58 ? "underline" : null;
}

export function lengthOfCharacter(first: number): number {
  if (first >= 0xf0 && first < 0xf8) return 4;
  if (first >= 0xe0) return first < 0xf0 ? 3 : 1;
  return first >= 0xc2 ? 2 : 1;
}

/** Where to cut so that no character is cut; `bytes` up to it are whole characters. */
export function wholeCharacters(bytes: Uint8Array): number {
  for (let at = bytes.byteLength - 1; at >= 0 && at >= bytes.byteLength - 3; at--) {
    const byte = bytes[at] ?? 0;
    if (byte < 0x80) break;
    if (byte >= 0xc0) return lengthOfCharacter(byte) > bytes.byteLength - at ? at : bytes.byteLength;
  }
  return bytes.byteLength;
}

export function firstLineEnd(bytes: Uint8Array): number {
  return bytes.indexOf(LF);
}
