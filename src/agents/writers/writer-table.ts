import { basename } from "node:path";
import type { OwnConversation } from "../../ports/session-writers.ts";
import type { OtherWriter } from "../../protocol/conversations.ts";
import { quietRead } from "../process/process-ledger.ts";

/** A running process that has the conversation open. Without a pid: one whose process is not visible from here. */
export interface Holder extends OtherWriter {
  readonly program: string;
}

/** Where one kind of agent leaves traces of the conversations that are open. */
export interface WriterTable {
  /** The variable that moves its files, and where they are without it, in the user's home. */
  readonly home: { readonly variable: string; readonly folder: string };
  /** What opens a conversation in a terminal. */
  readonly command: ((agentSessionId: string) => readonly string[]) | null;
  /** Every process that has it open, including ours; null if that is unknown on this machine. */
  readonly holders?: (home: string, conversation: OwnConversation) => readonly Holder[] | null;
  /** When its file was last written, in milliseconds since 1970; null when there is none. */
  readonly writtenAt?: (home: string, conversation: OwnConversation) => number | null;
  readonly saidAfter?: (home: string, conversation: OwnConversation, time: number) => boolean | null;
}

const RUNTIME = /^(?:node|bun|deno)$/;

/**
 * The program of a process, as a user would name it: for a script its own name, not that of its runtime. Null for a
 * process that is ending: it has no arguments left, and writes nothing.
 */
export function programOf(pid: number): string | null {
  const [program, script] = wordsOf(pid);
  if (program === undefined) return null;
  const name = basename(program);
  return script !== undefined && RUNTIME.test(name) && !script.startsWith("-") ? basename(script) : name;
}

/** The command line of a process; nothing for one that is ending. */
export function wordsOf(pid: number): readonly string[] {
  return (quietRead(`/proc/${pid}/cmdline`) ?? "").split("\0").filter((word) => word !== "");
}

export function parseOrNull(text: string | null): unknown {
  if (text === null) return null;
  try {
    return JSON.parse(text);
  } catch {
    // A file that is just being written.
    return null;
  }
}

/** Null for what is not there or may not be read. */
export function quietly<Value>(read: () => Value): Value | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof Error && "code" in error) return null;
    throw error;
  }
}
