import { once } from "node:events";
import { asPlainJson } from "../lib/harmless-text.ts";
import { visiblePieces } from "../lib/visible-text.ts";
import type { ChangesScope, ChangesState, FilePatch, ReviewedFile } from "../protocol/changes.ts";
import type { SessionId } from "../protocol/ids.ts";
import { type UnifiedLine, unifiedLines } from "../protocol/unified-hunks.ts";
import { findCheckpoint, listCheckpoints } from "./checkpoints.ts";
import { type CommandLine, wrongUsage } from "./command-line.ts";
import { CliError, EXIT, type ExitCode } from "./exit-codes.ts";
import { findSession } from "./find-session.ts";
import { printNote } from "./print.ts";
import { connect, type ServerLink } from "./server-link.ts";
import { oneLine, paint, type Screen, type Style, Styled, styled } from "./terminal.ts";

const GRAPH_COLUMNS_MAX = 40;
/** What is beside a name in a list of files: its count and its bars, which may be short. */
const BESIDE_NAME_COLUMNS = 30;
const PIPE_COLUMNS = 80;
const NAME_COLUMNS_MIN = 20;
const COMMIT_CHARS = 8;

/** Prints one file after the other: no more than one is held in memory. */
export async function diff(line: CommandLine): Promise<ExitCode> {
  const [session = "", ...wanted] = line.args;
  using link = await connect(line.env);
  const sessionId = await findSession(link, session);
  const scope = await scopeOf(line, link, sessionId, session);
  const state = await link.ask("changes:state", { type: "changes:open", sessionId, scope });
  const files = at(state.files, wanted);
  const submodules = scope.kind === "base" ? at(state.submodules, wanted) : [];
  const isNothing = files.length === 0 && submodules.length === 0;
  if (isNothing && wanted.length > 0 && state.files.length > 0)
    throw new CliError(
      EXIT.failed,
      `No changes at ${oneLine(wanted.join(", "))}. Paths start at the top directory of the repository; see liminal diff ${session} --stat`,
      "NO_CHANGES",
    );
  if (line.json) {
    const { total, leftOut } = state;
    await write(`${asPlainJson(JSON.stringify({ sessionId, scope, files, submodules, total, leftOut }))}\n`);
  } else if (isNothing) printNote("No changes.");
  if (line.has("stat")) {
    if (!line.json && files.length > 0) await write(statOf(files, line.screen).render(line.screen));
  } else {
    for (const file of files) {
      const { patch } = await patchOf(link, sessionId, scope, file.path);
      if (line.json) await write(`${asPlainJson(JSON.stringify({ path: file.path, patch }))}\n`);
      else await write([...unified(file, patch)].map((piece) => piece.render(line.screen)).join(""));
    }
  }
  if (!line.json) for (const moved of submodules) await write(submoduleLine(moved).render(line.screen));
  tellMissing(state);
  return EXIT.done;
}

async function scopeOf(
  line: CommandLine,
  link: ServerLink,
  sessionId: SessionId,
  session: string,
): Promise<ChangesScope> {
  const turn = line.text("turn");
  const kind = line.text("scope") ?? (turn === undefined ? "unreviewed" : "turn");
  if (turn !== undefined && kind !== "turn") throw wrongUsage(line, `--turn cannot be combined with --scope ${kind}.`);
  if (kind === "base" || kind === "unreviewed") return { kind };
  const checkpoints = (await listCheckpoints(link, sessionId)).filter(({ turnId }) => turnId !== undefined);
  const isLast = turn === undefined || turn === "last";
  const checkpoint = isLast
    ? checkpoints[0]
    : (checkpoints.find(({ turnId }) => turnId === turn) ?? findCheckpoint(checkpoints, turn, session));
  if (checkpoint?.turnId === undefined)
    throw new CliError(EXIT.failed, "No turn of this session has a checkpoint yet.", "CHECKPOINT_NOT_FOUND");
  return { kind: "turn", turnId: checkpoint.turnId };
}

function at<Changed extends { readonly path: string }>(
  all: readonly Changed[],
  wanted: readonly string[],
): readonly Changed[] {
  const places = wanted.map((path) => path.replace(/^\.\//, "").replace(/\/+$/, ""));
  if (places.length === 0 || places.includes(".")) return all;
  return all.filter(({ path }) => places.some((place) => path === place || path.startsWith(`${place}/`)));
}

function submoduleLine({ path, from, to }: ChangesState["submodules"][number]): Styled {
  const [old, fresh] = [from, to].map((commit) => commit?.slice(0, COMMIT_CHARS));
  const words =
    old === undefined
      ? `Added a submodule at ${fresh}.`
      : fresh === undefined
        ? `Removed a submodule, was at ${old}.`
        : `Moved a submodule: was at ${old}, now ${fresh}.`;
  return styled`${paint("bold", visible(path))}: ${words}\n`;
}

/** A large difference is requested once more: there is no page here that has to stay fast. */
async function patchOf(link: ServerLink, sessionId: SessionId, scope: ChangesScope, path: string) {
  const request = { type: "changes:patch", sessionId, scope, path } as const;
  const found = await link.ask("changes:patch", request);
  return found.patch.kind === "too-large" ? link.ask("changes:patch", { ...request, whole: true }) : found;
}

function tellMissing({ files, total, leftOut, cutOff }: ChangesState): void {
  if (total > files.length) printNote(`${total - files.length} more files changed; they are not listed.`);
  if (leftOut.length > 0)
    printNote(`Not compared: ${leftOut.map(({ path, reason }) => `${oneLine(path)} (${reason})`).join(", ")}`);
  if (cutOff !== null)
    printNote(
      `A restore of ${cutOff.files} files was interrupted. Open the session in the page to finish it or to put the files back.`,
    );
}

/** Produced as fast as it is read. */
async function write(text: string): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, "drain");
}

/** The patch of one file in pieces, which `git apply` and `patch` understand. */
export function* unified({ path, status }: Pick<ReviewedFile, "path" | "status">, patch: FilePatch): Generator<Styled> {
  const shown = visible(path);
  switch (patch.kind) {
    case "text": {
      const old = status === "added" ? "/dev/null" : `a/${shown}`;
      const fresh = status === "deleted" ? "/dev/null" : `b/${shown}`;
      yield paint("bold", `--- ${old}\n+++ ${fresh}\n`);
      for (const line of unifiedLines(patch.hunks)) yield printed(line);
      return;
    }
    case "too-large":
      yield styled`${paint("bold", shown)}: too large to show (${String(patch.lines)} lines, ${String(patch.bytes)} bytes)\n`;
      return;
    case "binary":
    case "link":
    case "mode":
      yield styled`${paint("bold", shown)}: ${visible(patch.words)}\n`;
      return;
    default:
      patch satisfies never;
  }
}

const MARKS = { same: " ", old: "-", new: "+" } as const;
const LINE_STYLES: Readonly<Record<keyof typeof MARKS, Style | undefined>> = {
  same: undefined,
  old: "red",
  new: "green",
};

function printed(line: UnifiedLine): Styled {
  if (line.kind === "no-end") return Styled.of("\\ No newline at end of file\n");
  if (line.kind !== "range") return paint(LINE_STYLES[line.kind], `${MARKS[line.kind]}${visible(line.text)}\n`);
  const heading = line.heading === null ? "" : ` ${visible(line.heading)}`;
  return styled`${paint("cyan", `@@ ${line.text} @@`)}${heading}\n`;
}

/** One line, with the codes of control and invisible characters. Tabs and rows of spaces are part of the code. */
function visible(text: string): string {
  return visiblePieces(text)
    .map((piece) => {
      if (piece.kind === "text") return piece.text;
      const [tabs, times = 1] = /^⇥(?: ×(\d+))?$/.exec(piece.text) ?? [];
      if (tabs !== undefined) return "\t".repeat(Number(times));
      const spaces = /^(\d+) spaces$/.exec(piece.text)?.[1];
      return spaces === undefined ? `<${piece.text}>` : " ".repeat(Number(spaces));
    })
    .join("");
}

/** The end of a path is the most informative part. */
function endOf(name: string, columns: number): string {
  if (Bun.stringWidth(name) <= columns) return name;
  const chars = [...name];
  while (Bun.stringWidth(chars.join("")) >= columns) chars.shift();
  return `…${chars.join("")}`;
}

/** As `git diff --stat` shows it. */
export function statOf(files: readonly ReviewedFile[], { columns }: Screen): Styled {
  const widest = Math.max(NAME_COLUMNS_MIN, (columns ?? PIPE_COLUMNS) - BESIDE_NAME_COLUMNS);
  // Programs get every name in full; the width of a line does not depend on the longest name of others.
  const names = files.map(({ path }) => (columns === null ? oneLine(path) : endOf(oneLine(path), widest)));
  const width = Math.min(widest, Math.max(...names.map((name) => Bun.stringWidth(name))));
  const counts = files.map(({ added, removed }) => (added === null || removed === null ? null : added + removed));
  const most = Math.max(1, ...counts.map((count) => count ?? 0));
  const digits = Math.max(String(most).length, counts.includes(null) ? "Bin".length : 0);
  const room = columns === null ? GRAPH_COLUMNS_MAX : columns - width - digits - " |  ".length - 1;
  const graph = Math.max(0, Math.min(GRAPH_COLUMNS_MAX, room));
  const scaled = (count: number) =>
    most <= graph ? count : count === 0 ? 0 : Math.max(1, Math.round((count * graph) / most));
  const rows = files.map(({ added, removed }, index) => {
    const name = names[index] ?? "";
    const padding = " ".repeat(Math.max(0, width - Bun.stringWidth(name)));
    const total = counts[index] ?? null;
    const count = (total === null ? "Bin" : String(total)).padStart(digits);
    const bars = styled`${paint("green", "+".repeat(scaled(added ?? 0)))}${paint("red", "-".repeat(scaled(removed ?? 0)))}`;
    return styled` ${name}${padding} | ${count} ${total === null ? "" : bars}\n`;
  });
  const sum = (pick: (file: ReviewedFile) => number | null) =>
    files.reduce((total, file) => total + (pick(file) ?? 0), 0);
  const plural = (value: number, word: string) => `${value} ${word}${value === 1 ? "" : "s"}`;
  const added = `${plural(
    sum((file) => file.added),
    "insertion",
  )}(+)`;
  const removed = `${plural(
    sum((file) => file.removed),
    "deletion",
  )}(-)`;
  return Styled.join([...rows, ` ${plural(files.length, "file")} changed, ${added}, ${removed}\n`]);
}
