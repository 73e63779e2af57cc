import type { Entry } from "../../src/protocol/entry.ts";
import { CliType, CommandId, EntryId, PermissionId, TurnId } from "../../src/protocol/ids.ts";
import type { ShellToPortlet } from "../../src/protocol/portlet-messages.ts";
import type { PendingPermission, Turn } from "../../src/protocol/session-parts.ts";
import { EMPTY_SESSION, sessionFieldsOf } from "../../src/protocol/session-schema.ts";

type History = Extract<ShellToPortlet, { type: "session:history" }>;
type EntryOf<Type extends Entry["type"]> = Extract<Entry, { type: Type }>;
type Optional<Of> = { [Key in keyof Of]?: Of[Key] | undefined };

const STARTED = "2026-01-15T09:00:00.000Z";
export const TURN = TurnId.parse("turn-1");
export const RUNNING: Turn = { state: "running", turnId: TURN, startedAt: STARTED };
export const WAITING: Turn = { ...RUNNING, state: "waiting" };
export const IDLE: Turn = { state: "idle", turnId: TURN, stopReason: "end_turn" };

/** Who this frame is about. */
export const SESSION: ShellToPortlet = {
  type: "portlet:session",
  cliType: CliType.parse("builtin"),
  agentName: "Built-in",
  projectName: "atlas-api",
  directory: "/home/ada/atlas-api",
};

export function history(entries: readonly Entry[], more: Optional<History> = {}): History {
  const base: History = {
    type: "session:history",
    ...sessionFieldsOf(EMPTY_SESSION),
    seq: 1_000,
    entries: [...entries],
    hasMore: false,
  };
  return Object.assign(base, more);
}

/** Facts in the order they happen, numbered after the history above. */
export class Facts {
  #seq = 1_000;

  update(entry: Entry): ShellToPortlet {
    return { type: "session:update", seq: this.next(), entry };
  }

  chunk(entryId: string, content: string, field: "content" | "result" = "content"): ShellToPortlet {
    return { type: "session:chunk", seq: this.next(), entryId: EntryId.parse(entryId), content, field };
  }

  turn(turn: Turn): ShellToPortlet {
    return { type: "session:turn", seq: this.next(), turn };
  }

  next(): number {
    this.#seq += 1;
    return this.#seq;
  }
}

export function user(id: string, content: string, commandId?: string): EntryOf<"user"> {
  const base = { type: "user" as const, entryId: EntryId.parse(id), turnId: TURN, content, timestamp: STARTED };
  return commandId === undefined ? base : { ...base, commandId: CommandId.parse(commandId) };
}

export function assistant(id: string, content: string): EntryOf<"assistant"> {
  return { type: "assistant", entryId: EntryId.parse(id), turnId: TURN, content, timestamp: STARTED };
}

export function thinking(id: string, content: string): EntryOf<"thinking"> {
  return { type: "thinking", entryId: EntryId.parse(id), turnId: TURN, content };
}

export function tool(id: string, name: string, more: Optional<EntryOf<"tool-call">> = {}): EntryOf<"tool-call"> {
  const base: EntryOf<"tool-call"> = {
    type: "tool-call",
    entryId: EntryId.parse(id),
    turnId: TURN,
    toolCallId: id,
    name,
    status: "complete",
    content: "",
  };
  return Object.assign(base, more);
}

export function permission(id: string, command: string): PendingPermission {
  return {
    permissionId: PermissionId.parse(id),
    askedAt: STARTED,
    toolCall: {
      toolCallId: `call-${id}`,
      name: command,
      kind: "execute",
      input: { command, cwd: "/project/atlas-api" },
    },
    options: [
      { optionId: "once", name: "Allow once", kind: "allow_once" },
      { optionId: "always", name: "Always allow", kind: "allow_always" },
      { optionId: "no", name: "Deny", kind: "reject_once" },
    ],
  };
}

/** A turn of the given number: question, tool call, answer. */
export function conversation(turns: number, first = 0): Entry[] {
  return Array.from({ length: turns }, (_, offset) => {
    const number = first + offset;
    return [
      user(`u${number}`, `Question ${number}`),
      tool(`t${number}`, `Read file-${number}.ts`, { kind: "read", result: `content of file ${number}` }),
      assistant(
        `a${number}`,
        `Answer **${number}** with a sentence that is long enough to be real.\n\nAnd a second one.`,
      ),
    ];
  }).flat();
}
