import { CHANGED_FILES_MAX, type RestoreItem } from "../protocol/changes.ts";
import type { CheckpointPreview } from "../protocol/server-messages.ts";
import { findCheckpoint, listCheckpoints, timeOf } from "./checkpoints.ts";
import type { CommandLine } from "./command-line.ts";
import { CliError, EXIT, type ExitCode } from "./exit-codes.ts";
import { findSession } from "./find-session.ts";
import { print } from "./print.ts";
import { connect } from "./server-link.ts";
import { oneLine, paint, Styled, styled } from "./terminal.ts";

const PHASES = { before: "before a turn", after: "after a turn", safety: "before a restore" } as const;
const EFFECTS = { changed: "change", created: "create", deleted: "delete" } as const;
const EFFECT_COLUMNS = 8;

/** Shows the effect of going back to a checkpoint, and carries it out on request. */
export async function restoreFiles(line: CommandLine): Promise<ExitCode> {
  const [session = "", wanted = ""] = line.args;
  using link = await connect(line.env);
  const sessionId = await findSession(link, session);
  const { checkpointId, phase } = findCheckpoint(await listCheckpoints(link, sessionId), wanted, session);
  const preview = await link.ask("checkpoint:preview", { type: "checkpoint:preview", sessionId, checkpointId });
  const paths = chosenPaths(line, preview);
  const files = paths?.length ?? ownCount(preview);
  const { checkpoint, own, changedSince, impossible, total } = preview;
  const result = { sessionId, checkpoint, own, changedSince, impossible, total };
  if (phase === "safety" && paths === null) {
    const told = "Nothing was changed. To take back the restore or discard that followed, add --yes.";
    if (line.has("yes")) await link.act({ type: "changes:undo", sessionId, undoId: checkpointId });
    if (line.has("yes"))
      print(line, { ...result, status: "undone" }, "Took back the restore or discard that followed.");
    else print(line, { ...result, status: "preview", files: 0 }, styled`${describe(preview, paths)}${told}`);
    return EXIT.done;
  }
  if (!line.has("yes") || files === 0) {
    const told = files === 0 ? "No file to restore." : `Nothing was changed. To restore ${count(files)}, add --yes.`;
    print(line, { ...result, status: "preview", files }, styled`${describe(preview, paths)}${told}`);
    return EXIT.done;
  }
  const restored = await link.ask("checkpoint:restored", {
    type: "checkpoint:restore",
    sessionId,
    checkpointId,
    expect: preview.version,
    ...(paths !== null && { paths: [...paths] }),
    ...(line.has("stop") && { stopTurn: true }),
  });
  const { safety } = restored;
  const undo = `liminal restore ${session} ${safety} --yes`;
  const left = paths === null ? leftWords(preview) : "";
  print(
    line,
    { ...result, status: "restored", files: restored.files, safety, undo },
    `Restored ${count(restored.files)}. ${left}To take this back: ${undo}`,
  );
  return EXIT.done;
}

/** Nobody should believe that all is as it was at the checkpoint when some of it is not. */
function leftWords({ changedSince, impossible }: CheckpointPreview): string {
  const others = changedSince.length;
  const those = others === 1 ? "it was" : "they were";
  return [
    ...(others === 0 ? [] : [`${count(others)} stayed, because ${those} changed by somebody else, or since (--all). `]),
    ...(impossible.length === 0 ? [] : [`${count(impossible.length)} cannot be restored. `]),
  ].join("");
}

/** Null: the session's own files, as the server determines them. */
function chosenPaths(line: CommandLine, { own, changedSince, impossible, total }: CheckpointPreview): string[] | null {
  const wanted = line.texts("path").map((path) => path.replace(/^\.\//, "").replace(/\/+$/, ""));
  if (wanted.length === 0 && !line.has("all")) return null;
  if (own.length + changedSince.length + impossible.length < total)
    throw new CliError(
      EXIT.failed,
      `${total} files differ, more than can be chosen from at once (${CHANGED_FILES_MAX}). Restore the session's own changes first, without --path and --all.`,
      "TOO_MANY_FILES",
    );
  const all = [...own, ...changedSince].map(({ path }) => path);
  if (wanted.length === 0) return all;
  const isIn = (path: string, place: string) => place === "." || path === place || path.startsWith(`${place}/`);
  for (const place of wanted) {
    if (all.some((path) => isIn(path, place))) continue;
    const stuck = impossible.find(({ path }) => isIn(path, place));
    throw new CliError(
      EXIT.failed,
      stuck === undefined
        ? `Nothing to restore at ${oneLine(place)}: it is as it was. Paths start at the top directory of the repository.`
        : `Cannot restore ${oneLine(place)}: the checkpoint does not hold it (${stuck.reason}).`,
      "NOTHING_TO_RESTORE",
    );
  }
  return all.filter((path) => wanted.some((place) => isIn(path, place)));
}

/** The lists of a preview are cut; what does not fit counts as the session's own. */
function ownCount({ own, changedSince, impossible, total }: CheckpointPreview): number {
  return own.length < CHANGED_FILES_MAX ? own.length : total - changedSince.length - impossible.length;
}

function describe(preview: CheckpointPreview, paths: readonly string[] | null): Styled {
  const { checkpoint, own, changedSince, impossible } = preview;
  const chosen = paths === null ? null : new Set(paths);
  const isTaken = ({ path }: RestoreItem) => chosen?.has(path) ?? own.some((item) => item.path === path);
  const taken = [...own, ...changedSince].filter(isTaken);
  const kept = [...own, ...changedSince].filter((item) => !isTaken(item));
  const files = ownCount(preview);
  const takenCount = count(chosen?.size ?? files);
  const ofOwn = kept.filter((item) => own.includes(item));
  const ofOthers = kept.filter((item) => changedSince.includes(item));
  return Styled.join([
    `Checkpoint ${checkpoint.checkpointId}, ${PHASES[checkpoint.phase]}, ${timeOf(checkpoint.at)} UTC\n`,
    ...group(`Would be restored: ${takenCount}`, taken.map(itemLine)),
    ...group(`Not chosen: ${count(ofOwn.length)}`, ofOwn.map(itemLine)),
    ...group(
      `Changed by somebody else, or changed since: ${count(ofOthers.length)}. They stay as they are; --all restores them, too`,
      ofOthers.map(itemLine),
    ),
    ...group(
      `Cannot be restored: ${count(impossible.length)}. They stay as they are`,
      impossible.map(({ path, reason }) => `  ${oneLine(path)} (${reason})\n`),
    ),
  ]);
}

function group(title: string, lines: readonly (string | Styled)[]): (string | Styled)[] {
  return lines.length === 0 ? [] : [styled`${paint("bold", title)}\n`, ...lines];
}

function itemLine({ path, effect, added, removed }: RestoreItem): Styled {
  const lines = added === null || removed === null ? "" : `  +${added} -${removed}`;
  return styled`  ${paint(effect === "deleted" ? "red" : "green", EFFECTS[effect].padEnd(EFFECT_COLUMNS))}${oneLine(path)}${paint("dim", lines)}\n`;
}

function count(files: number): string {
  return files === 1 ? "1 file" : `${files} files`;
}
