import { useEffect, useState } from "preact/hooks";
import { visibleOneLine } from "../../lib/visible-text.ts";
import type { CheckpointInfo } from "../../protocol/changes.ts";
import type { SessionId } from "../../protocol/ids.ts";
import { ageWords, exactTime } from "../../ui/words/time-words.ts";
import { Dialog } from "../controls/dialog.tsx";
import { TroubleNotice } from "../controls/trouble-notice.tsx";
import type { Shell } from "../state/shell.ts";
import { rowOf } from "../state/shell-state.ts";
import type { Trouble } from "../state/trouble.ts";
import { clockWords } from "./restore-dialog.tsx";

interface Listed {
  readonly checkpoints: readonly CheckpointInfo[] | null;
  readonly trouble: Trouble | null;
}

/** The stored states of a session's files, the newest first, and the way back to each. */
export function CheckpointsDialog({ shell, sessionId }: { shell: Shell; sessionId: SessionId }) {
  const [{ checkpoints, trouble }, setListed] = useState<Listed>({ checkpoints: null, trouble: null });
  useEffect(() => {
    let isOver = false;
    const told: { trouble: Trouble | null } = { trouble: null };
    const list = async () => {
      const answer = await shell.attempt({ type: "checkpoint:list", sessionId }, (_, why) => {
        told.trouble = why;
      });
      if (isOver) return;
      setListed({ checkpoints: answer?.type === "checkpoint:list" ? answer.checkpoints : null, trouble: told.trouble });
    };
    void list();
    return () => {
      isOver = true;
    };
  }, [shell, sessionId]);
  const title = rowOf(shell.server.value, sessionId)?.title ?? "session";
  return (
    <Dialog title={`Checkpoints of “${title}”`} wide onClose={() => shell.closeDialog()}>
      <div class="dialog-body">
        <p>The files are stored before and after each turn. Restoring asks first, and can be undone.</p>
        {trouble !== null && <TroubleNotice trouble={trouble} />}
        {checkpoints === null && trouble === null && <p role="status">Loading…</p>}
        {checkpoints?.length === 0 && (
          <p role="status">No checkpoints yet. The first one is taken when you send a message.</p>
        )}
        {checkpoints !== null && checkpoints.length > 0 && (
          <ul class="checkpoint-list" aria-label="Checkpoints">
            {checkpoints.map((checkpoint) => (
              <CheckpointRow
                key={checkpoint.checkpointId}
                shell={shell}
                sessionId={sessionId}
                checkpoint={checkpoint}
              />
            ))}
          </ul>
        )}
      </div>
    </Dialog>
  );
}

interface CheckpointRowProps {
  readonly shell: Shell;
  readonly sessionId: SessionId;
  readonly checkpoint: CheckpointInfo;
}

function CheckpointRow({ shell, sessionId, checkpoint }: CheckpointRowProps) {
  const { checkpointId, phase, at, late, message, place } = checkpoint;
  const other = checkpoint.sessionId === sessionId ? undefined : checkpoint.sessionId;
  const words = checkpointWords(checkpoint);
  return (
    <li>
      <time dateTime={at} title={exactTime(at)}>
        {clockWords(at)}
      </time>
      <span class="what truncate" title={message === undefined ? undefined : words}>
        {words}
      </span>
      <span class="facts">
        {other !== undefined && (
          <span class="tag" title={rowOf(shell.server.value, other)?.title}>
            another session
          </span>
        )}
        {place !== undefined && (
          <span class="tag" title={`Taken in ${place}. Move the session back there to restore it.`}>
            <span class="truncate">in {visibleOneLine(place)}</span>
          </span>
        )}
        {late && (
          <span class="tag warn" title="It was not stored in time: the agent may already have changed files.">
            late
          </span>
        )}
        <span class="optional">{ageWords(at, shell.nowMs.value)}</span>
      </span>
      {place === undefined && (
        <button
          type="button"
          class="button small"
          aria-label={`Restore… ${clockWords(at)}, ${words}`}
          onClick={() => {
            shell.dialog.value = {
              kind: "restore",
              sessionId,
              checkpointId,
              phase,
              at,
              ...(message !== undefined && { message }),
            };
          }}
        >
          Restore…
        </button>
      )}
    </li>
  );
}

/** Which state of the files it holds. */
function checkpointWords({ phase, message }: CheckpointInfo): string {
  if (phase === "safety") return "Safety copy, before a restore or discard";
  const when = phase === "before" ? "Before" : "After";
  return message === undefined || message === "" ? `${when} a turn` : `${when} “${visibleOneLine(message)}”`;
}
