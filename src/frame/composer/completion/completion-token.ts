/** The word at the cursor that can be completed, and where it stands. */
export interface CompletionToken {
  readonly kind: "command" | "file";
  /** What follows the `/` or the `@`. */
  readonly query: string;
  readonly from: number;
  readonly to: number;
}

const QUERY_CHARS_MAX = 200;
/** An `@` inside a word is an address, not a mention. */
const MENTION = /(?:^|[\s([{"'`])@([^\s@]*)$/;

/** A command only where the message begins, a file anywhere a word can. */
export function tokenAt(text: string, caret: number): CompletionToken | null {
  const before = text.slice(0, caret);
  const rest = /^\S*/.exec(text.slice(caret))?.[0] ?? "";
  const to = caret + rest.length;
  const command = /^\/(\S*)$/.exec(before)?.[1];
  if (command !== undefined) return { kind: "command", query: command + rest, from: 0, to };
  const file = MENTION.exec(before)?.[1];
  if (file === undefined || file.length > QUERY_CHARS_MAX) return null;
  return { kind: "file", query: file, from: caret - file.length - 1, to };
}

export function isSameToken(one: CompletionToken | null, other: CompletionToken | null): boolean {
  if (one === null || other === null) return one === other;
  return one.kind === other.kind && one.from === other.from && one.to === other.to && one.query === other.query;
}
