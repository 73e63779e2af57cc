import type { CheckpointInfo } from "../protocol/changes.ts";
import type { Entry } from "../protocol/entry.ts";
import type { SessionId, TurnId } from "../protocol/ids.ts";
import { PAGE_ENTRIES_MAX } from "../protocol/limits.ts";
import type { CommandLine } from "./command-line.ts";
import { CliError, EXIT, type ExitCode } from "./exit-codes.ts";
import { findSession } from "./find-session.ts";
import { print } from "./print.ts";
import { connect, type ServerLink } from "./server-link.ts";
import { type Column, oneLine, table } from "./terminal.ts";

const CANDIDATES_SHOWN_MAX = 5;
/** Messages are looked up in this many pages of the transcript at most. */
const PAGES_MAX = 20;
const MESSAGE_CHARS_MAX = 200;
const MESSAGE_COLUMNS_MIN = 20;
const COLUMNS: readonly Column[] = [
  { title: "CHECKPOINT", style: "cyan" },
  { title: "TIME (UTC)", style: "dim" },
  { title: "WHEN", style: (phase) => (phase.startsWith("safety") ? "yellow" : undefined) },
  { title: "MESSAGE", columnsMin: MESSAGE_COLUMNS_MIN },
];

export async function checkpoints(line: CommandLine): Promise<ExitCode> {
  using link = await connect(line.env);
  const sessionId = await findSession(link, line.args[0] ?? "");
  const found = await listCheckpoints(link, sessionId);
  const messages = await messagesOf(link, sessionId, found);
  const shown = found.map((checkpoint) => {
    const message = checkpoint.turnId === undefined ? undefined : messages.get(checkpoint.turnId);
    return { ...checkpoint, ...(message !== undefined && { message }) };
  });
  const rows = shown.map(({ checkpointId, at, phase, late, message = "" }) => [
    checkpointId,
    timeOf(at),
    late ? `${phase} (late)` : phase,
    message,
  ]);
  const none = "No checkpoints yet. They are taken before and after every turn.";
  print(line, { sessionId, checkpoints: shown }, rows.length === 0 ? none : table(COLUMNS, rows, line.screen));
  return EXIT.done;
}

export function timeOf(iso: string): string {
  return iso.slice(0, "2026-11-16T10:00:00".length).replace("T", " ");
}

/** Newest first. */
export async function listCheckpoints(link: ServerLink, sessionId: SessionId): Promise<readonly CheckpointInfo[]> {
  return (await link.ask("checkpoint:list", { type: "checkpoint:list", sessionId })).checkpoints;
}

/** The requested checkpoint: by its id, or by a unique beginning or end of it. */
export function findCheckpoint(among: readonly CheckpointInfo[], wanted: string, session: string): CheckpointInfo {
  const matches = among.filter(
    ({ checkpointId: id }) => wanted !== "" && (id.startsWith(wanted) || id.endsWith(wanted)),
  );
  const [only, ...others] = matches.filter(({ checkpointId }) => checkpointId === wanted).concat(matches);
  if (only && others.every((other) => other === only)) return only;
  const [message, code] = only
    ? [
        `"${wanted}" matches ${matches.length} checkpoints. Type more of the id:${matches
          .slice(0, CANDIDATES_SHOWN_MAX)
          .map(({ checkpointId, at, phase }) => `\n  ${checkpointId}  ${timeOf(at)}  ${phase}`)
          .join("")}`,
        "CHECKPOINT_AMBIGUOUS",
      ]
    : [`No checkpoint "${wanted}". List checkpoints with: liminal checkpoints ${session}`, "CHECKPOINT_NOT_FOUND"];
  throw new CliError(EXIT.failed, message, code);
}

/** The user's first message of each turn that has a checkpoint. */
async function messagesOf(
  link: ServerLink,
  sessionId: SessionId,
  among: readonly CheckpointInfo[],
): Promise<ReadonlyMap<TurnId, string>> {
  const open = new Set(among.flatMap(({ turnId }) => turnId ?? []));
  const messages = new Map<TurnId, string>();
  const read = (entries: readonly Entry[]) => {
    for (const { turnId, ...entry } of entries) {
      if (entry.type !== "user" || entry.steered || turnId === undefined || !open.delete(turnId)) continue;
      messages.set(turnId, oneLine(entry.content.slice(0, MESSAGE_CHARS_MAX)));
    }
  };
  if (open.size === 0) return messages;
  let page: { readonly entries: readonly Entry[]; readonly hasMore: boolean } = await link.ask("session:history", {
    type: "session:open",
    sessionId,
    limit: PAGE_ENTRIES_MAX,
  });
  read(page.entries);
  for (let pages = 1; pages < PAGES_MAX && page.hasMore && open.size > 0; pages += 1) {
    const before = page.entries[0]?.entryId;
    if (before === undefined) break;
    page = await link.ask("session:page", { type: "session:page", sessionId, before, limit: PAGE_ENTRIES_MAX });
    read(page.entries);
  }
  return messages;
}
