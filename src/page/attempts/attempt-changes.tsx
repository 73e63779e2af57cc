import { useEffect, useRef, useState } from "preact/hooks";
import { visibleOneLine } from "../../lib/visible-text.ts";
import type { HunkLine } from "../../presentation/hunk-lines.ts";
import type { AttemptResult } from "../../protocol/attempts.ts";
import type { ChangesScope, FilePatch } from "../../protocol/changes.ts";
import type { SessionRow } from "../../protocol/session-schema.ts";
import { createDiffTable } from "../../ui/diff/diff-table.ts";
import type { Shell } from "../state/shell.ts";
import { isWhole, patchLines } from "./shown-file.ts";

interface AttemptChangesProps {
  readonly shell: Shell;
  readonly row: SessionRow;
  readonly result: AttemptResult;
  /** The file that all attempts show. */
  readonly path: string;
}

/** One file as this attempt changed it. */
export function AttemptChanges({ shell, row, result, path }: AttemptChangesProps) {
  const file = result.files.find((one) => one.path === path);
  const found = useFile(shell, row, result, path);
  const name = visibleOneLine(path);
  if (file === undefined)
    return (
      <p class="words faint attempt-none">
        Does not change <span class="mono">{name}</span>.
      </p>
    );
  if (found === null) return <p class="words faint attempt-none">Reading {name}…</p>;
  if (found.kind === "words") return <p class="words faint attempt-none">{found.words}</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard
    // biome-ignore lint/a11y/useSemanticElements: a part of the card, not a group of fields
    <div class="attempt-diff" role="group" aria-label={`${name} in attempt ${row.attempt?.number ?? 0}`} tabIndex={0}>
      <p class="path mono truncate" title={name} aria-hidden="true">
        {name}
      </p>
      {found.places.map((lines, at) => (
        <Place key={at} lines={lines} />
      ))}
      {!found.isWhole && <p class="faint rest">There is more in it: open its changes.</p>}
    </div>
  );
}

function Place({ lines }: { lines: readonly HunkLine[] }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const kinds = (kind: HunkLine["kind"]) => lines.filter((line) => line.kind === kind).length;
    const diff = { rows: lines, added: kinds("added"), removed: kinds("removed"), isPlaced: true };
    place.current?.replaceChildren(createDiffTable(diff, "unified"));
  }, [lines]);
  return <div class="diff" ref={place} />;
}

type Found =
  | { readonly kind: "places"; readonly places: readonly (readonly HunkLine[])[]; readonly isWhole: boolean }
  | { readonly kind: "words"; readonly words: string };

/**
 * Committed changes of an attempt are in its last turn, uncommitted ones also in the changes since the last commit: the
 * list with all lines is shown.
 */
function useFile(shell: Shell, row: SessionRow, result: AttemptResult, path: string): Found | null {
  const [found, setFound] = useState<{ readonly path: string; readonly found: Found } | null>(null);
  useEffect(() => {
    const file = result.files.find((one) => one.path === path);
    if (file === undefined) return;
    let isCurrent = true;
    const read = async () => {
      const { turnId } = row.turn;
      const scopes: readonly ChangesScope[] = [
        { kind: "base" },
        ...(turnId === undefined ? [] : [{ kind: "turn", turnId } as const]),
      ];
      let best: Found = { kind: "words", words: "Open its changes to read it." };
      for (const scope of scopes) {
        const patch = await patchOf(shell, row, scope, path);
        const next = patch === null ? null : foundIn(patch, file);
        if (next === null) continue;
        if (best.kind === "words" || (next.kind === "places" && next.isWhole)) best = next;
        if (best.kind === "words" || best.isWhole) break;
      }
      if (isCurrent) setFound({ path, found: best });
    };
    void read();
    return () => {
      isCurrent = false;
    };
  }, [row.id, row.turn.turnId, path, result]);
  return found?.path === path ? found.found : null;
}

/** Null: the file is not among these changes. */
async function patchOf(shell: Shell, row: SessionRow, scope: ChangesScope, path: string): Promise<FilePatch | null> {
  const answer = await shell.attempt({ type: "changes:patch", sessionId: row.id, scope, path }, () => undefined);
  return answer?.type === "changes:patch" ? answer.patch : null;
}

function foundIn(patch: FilePatch, file: AttemptResult["files"][number]): Found {
  const places = patchLines(patch);
  if (places !== null) return { kind: "places", places, isWhole: isWhole(places, file) };
  if (patch.kind === "too-large")
    return { kind: "words", words: `${patch.lines.toLocaleString("en")} lines: open its changes to read them.` };
  return { kind: "words", words: patch.kind === "text" ? "" : patch.words };
}
