import { useState } from "preact/hooks";
import type { SessionId } from "../../protocol/ids.ts";
import { isTurnActive } from "../../protocol/session-schema.ts";
import type { NewWorktree } from "../../protocol/worktrees.ts";
import { Icon } from "../../ui/icons/icon.tsx";
import { newCommandId } from "../../ui/new-command-id.ts";
import { Dialog } from "../controls/dialog.tsx";
import { TroubleNotice } from "../controls/trouble-notice.tsx";
import { NewWorktreeFields, usePlaceOptions } from "../new-session/place-choice.tsx";
import type { Shell } from "../state/shell.ts";
import { agentOf, rowOf } from "../state/shell-state.ts";
import type { Trouble } from "../state/trouble.ts";

type Target = "create" | "existing" | "project";

/** The conversation continues in another directory, where the agent starts anew. */
export function MoveSessionDialog({ shell, sessionId }: { shell: Shell; sessionId: SessionId }) {
  const state = shell.server.value;
  const row = rowOf(state, sessionId);
  if (row === undefined) return null;
  return <Move shell={shell} row={row} />;
}

function Move({ shell, row }: { shell: Shell; row: NonNullable<ReturnType<typeof rowOf>> }) {
  const { id: sessionId, projectId, worktree: here, cliType } = row;
  const state = shell.server.value;
  const agent = agentOf(state, cliType)?.name ?? "The agent";
  const options = usePlaceOptions(shell, projectId);
  const [target, setTarget] = useState<Target>(here === null ? "create" : "project");
  const [chosen, setChosen] = useState("");
  const [wish, setWish] = useState<NewWorktree>({ carry: true });
  const [trouble, setTrouble] = useState<Trouble | null>(null);
  const [isMoving, setMoving] = useState(false);
  const others = (state.worktrees.get(projectId) ?? []).filter(
    ({ worktreeId, isOurs, status }) => isOurs && status === "ready" && worktreeId !== here?.worktreeId,
  );
  const existing = others.find(({ worktreeId }) => worktreeId === chosen) ?? others[0];
  const isWorking = isTurnActive(row.turn);
  const unavailable = options?.unavailable ?? null;
  const canMove = !isMoving && !isWorking && (target !== "create" || (options !== null && unavailable === null));
  const move = async () => {
    if (!canMove) return;
    setMoving(true);
    setTrouble(null);
    const to =
      target === "create"
        ? { create: wish }
        : target === "existing" && existing
          ? { worktreeId: existing.worktreeId }
          : null;
    const answer = await shell.attempt(
      { type: "worktree:move-session", sessionId, to, commandId: newCommandId() },
      (_, why) => setTrouble(why),
    );
    setMoving(false);
    if (answer === null) return;
    shell.closeDialog();
    shell.open(sessionId, { focus: true });
  };
  return (
    <Dialog
      title={here === null ? "Continue in a worktree" : `Continue “${row.title}” elsewhere`}
      onClose={() => shell.closeDialog()}
    >
      <form
        aria-busy={isMoving}
        onSubmit={(event) => {
          event.preventDefault();
          void move();
        }}
      >
        <div class="dialog-body">
          <div class="move-targets" role="radiogroup" aria-label="Continue">
            {here !== null && (
              <TargetOption
                name="In the project"
                isChecked={target === "project"}
                onChoose={() => setTarget("project")}
              />
            )}
            <TargetOption
              name="In a new worktree"
              isChecked={target === "create"}
              isOff={unavailable !== null}
              onChoose={() => setTarget("create")}
            />
            {others.length > 0 && (
              <TargetOption
                name="In another worktree"
                isChecked={target === "existing"}
                onChoose={() => setTarget("existing")}
              />
            )}
          </div>
          {target === "existing" && (
            <select
              class="native-select mono move-existing"
              aria-label="Worktree"
              value={existing?.worktreeId}
              onChange={({ currentTarget }) => setChosen(currentTarget.value)}
            >
              {others.map(({ worktreeId, name }) => (
                <option key={worktreeId} value={worktreeId}>
                  {name}
                </option>
              ))}
            </select>
          )}
          {unavailable !== null && <p>{unavailable}</p>}
          {target === "create" && options !== null && unavailable === null && (
            <NewWorktreeFields options={options} wish={wish} onChange={setWish} />
          )}
          <div class="safety">
            <Icon name="info" class="icon-sm" />
            <p>
              <b>{agent} starts afresh there.</b> It gets the transcript so far, not its own memory of it. The files
              here stay as they are, and both places are stored as checkpoints first.
            </p>
          </div>
          {isWorking && (
            <div class="notice" data-severity="warning" role="status">
              <Icon name="alert" />
              <div class="body">
                <p>{agent} is working. Wait for the end of its turn, or stop it first.</p>
              </div>
            </div>
          )}
          {trouble !== null && <TroubleNotice trouble={trouble} />}
        </div>
        <footer class="dialog-foot">
          <span class="spacer" />
          <button type="button" class="button ghost" onClick={() => shell.closeDialog()}>
            Cancel
          </button>
          <button type="submit" class="button primary" data-first-focus="" aria-disabled={canMove ? undefined : "true"}>
            {isMoving ? "Moving…" : "Continue there"}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}

interface TargetOptionProps {
  readonly name: string;
  readonly isChecked: boolean;
  readonly isOff?: boolean;
  readonly onChoose: () => void;
}

function TargetOption({ name, isChecked, isOff = false, onChoose }: TargetOptionProps) {
  return (
    <label>
      <input type="radio" name="target" checked={isChecked} disabled={isOff} onChange={onChoose} />
      <span class="truncate">{name}</span>
    </label>
  );
}
