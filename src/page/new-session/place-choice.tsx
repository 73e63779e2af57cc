import type { ComponentChildren } from "preact";
import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { filesWords } from "../../presentation/changes-words.ts";
import type { ProjectId } from "../../protocol/ids.ts";
import { isTurnActive } from "../../protocol/session-schema.ts";
import { BRANCH_CHARS_MAX, type NewWorktree, type WorktreeOptions } from "../../protocol/worktrees.ts";
import { Icon } from "../../ui/icons/icon.tsx";
import { chordWords, pressedKey } from "../../ui/keys/chords.ts";
import type { Shell } from "../state/shell.ts";
import type { PlaceWish } from "../state/shell-dialog.ts";
import { agentOf, type ShellState } from "../state/shell-state.ts";

interface PlaceChoiceProps {
  readonly shell: Shell;
  readonly projectId: ProjectId;
  readonly place: PlaceWish | undefined;
  readonly onChoose: (place: PlaceWish) => void;
}

const IN_PROJECT: PlaceWish = { worktree: false };

/** Where a new session works. The server suggests a default; the user's choice is kept. */
export function PlaceChoice({ shell, projectId, place = IN_PROJECT, onChoose }: PlaceChoiceProps) {
  const options = usePlaceOptions(shell, projectId);
  // A place that came with the dialog was chosen before it opened.
  const isChosen = useRef(place !== IN_PROJECT);
  const { worktree } = place;
  const create = worktree !== false && "create" in worktree ? worktree.create : null;
  const canMake = options !== null && options.unavailable === null;
  useEffect(() => {
    if (isChosen.current || !canMake) return;
    if (options.busySessionIds.length > 0 || options.lastChoice === "worktree") onChoose({ worktree: { create: {} } });
  }, [options]);
  const choose = (next: PlaceWish) => {
    isChosen.current = true;
    onChoose(next);
  };
  const chooseWorktree = () => {
    if (canMake && create === null) choose({ worktree: { create: {} } });
  };
  const keys = useRef<(key: string) => boolean>(() => false);
  keys.current = (key) => {
    if (key === "p") choose(IN_PROJECT);
    else if (key === "t") chooseWorktree();
    else return false;
    return true;
  };
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent) => {
      const { altKey, ctrlKey, metaKey, shiftKey } = event;
      if (altKey && !ctrlKey && !metaKey && !shiftKey && keys.current(pressedKey(event).toLowerCase()))
        event.preventDefault();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
  if (worktree !== false && "worktreeId" in worktree)
    return (
      <div class="place-choice">
        <p class="place-note">
          <Icon name="branch" class="icon-sm" />
          <span>
            Works in the worktree <b class="mono">{place.name}</b>, beside what is there.
          </span>
        </p>
      </div>
    );
  const project = shell.server.value.projects.find(({ id }) => id === projectId);
  return (
    <div class="place-choice">
      <div class="places" role="radiogroup" aria-label="Place">
        <PlaceOption
          name="In the project"
          chord="Alt+P"
          isChecked={worktree === false}
          onChoose={() => choose(IN_PROJECT)}
        >
          <span title={project?.path}>
            {options?.branch ? (
              <>
                on <span class="mono">{options.branch}</span>
              </>
            ) : (
              project?.name
            )}
          </span>
        </PlaceOption>
        <PlaceOption
          name="In its own worktree"
          chord="Alt+T"
          isChecked={create !== null}
          isOff={!canMake}
          onChoose={chooseWorktree}
        >
          <WorktreeNote options={options} />
        </PlaceOption>
      </div>
      {create !== null && options !== null && (
        <>
          <Reasons shell={shell} options={options} isChosen={isChosen.current} />
          {options.setup.state === "asks" && options.setup.command !== undefined && (
            <label class="place-tick">
              <input
                type="checkbox"
                checked={place.setupHash !== undefined}
                onChange={({ currentTarget }) =>
                  choose({ ...place, setupHash: currentTarget.checked ? options.setup.hash : undefined })
                }
              />
              <span>
                Run <span class="mono">{options.setup.command}</span> in it (from <span class="mono">liminal.json</span>
                )
              </span>
            </label>
          )}
          <NewWorktreeFields
            options={options}
            wish={create}
            onChange={(next) => choose({ ...place, worktree: { create: next } })}
          />
        </>
      )}
    </div>
  );
}

/** Null until they have loaded. A server that cannot list them has no worktrees to offer. */
export function usePlaceOptions(shell: Shell, projectId: ProjectId): WorktreeOptions | null {
  const [options, setOptions] = useState<WorktreeOptions | null>(null);
  useEffect(() => {
    let isOver = false;
    const unavailable = (words: string): WorktreeOptions => ({
      projectId,
      unavailable: words,
      branch: null,
      branches: [],
      behindCommits: null,
      uncommittedFiles: null,
      busySessionIds: [],
      lastChoice: null,
      setup: { state: "none" },
      includedFiles: null,
    });
    const told = { words: "Worktrees are not available." };
    const ask = async () => {
      const answer = await shell.attempt({ type: "worktree:options", projectId }, (words, { code }) => {
        if (code !== "WORKTREE_NOT_FOUND") told.words = words;
      });
      if (!isOver) setOptions(answer?.type === "worktree:options" ? answer : unavailable(told.words));
    };
    void ask();
    return () => {
      isOver = true;
    };
  }, [shell, projectId]);
  return options;
}

interface PlaceOptionProps {
  readonly name: string;
  readonly chord: string;
  readonly isChecked: boolean;
  /** It cannot be chosen; its note says why. */
  readonly isOff?: boolean;
  readonly onChoose: () => void;
  readonly children: ComponentChildren;
}

function PlaceOption({ name, chord, isChecked, isOff = false, onChoose, children }: PlaceOptionProps) {
  const noteId = useId();
  return (
    <label class="place-option" data-off={isOff ? "" : undefined}>
      <input
        type="radio"
        name="place"
        aria-label={name}
        aria-describedby={noteId}
        aria-keyshortcuts={chord}
        checked={isChecked}
        disabled={isOff}
        // Also one that is checked already: from then on it is the user's choice.
        onClick={onChoose}
      />
      <span class="who">
        <b>{name}</b>
        <span id={noteId}>{children}</span>
      </span>
      {!isOff && (
        <span class="keys" aria-hidden="true">
          <kbd>{chordWords(chord)}</kbd>
        </span>
      )}
    </label>
  );
}

function WorktreeNote({ options }: { options: WorktreeOptions | null }) {
  if (options === null) return "Looking at the repository…";
  if (options.unavailable !== null) return options.unavailable;
  const { state, command } = options.setup;
  if (command === undefined || state === "none") return "A copy of its own, on its own branch";
  return state === "asks" ? (
    <>
      Can run <span class="mono">{command}</span>
    </>
  ) : (
    <>
      Runs <span class="mono">{command}</span>
    </>
  );
}

/** Why it is preselected, what is copied along, and errors in the settings. */
function Reasons({ shell, options, isChosen }: { shell: Shell; options: WorktreeOptions; isChosen: boolean }) {
  const { includedFiles, problem } = options;
  const why = isChosen ? "" : chosenBecause(shell.server.value, options);
  const words = [
    why,
    includedFiles !== null && includedFiles > 0
      ? `${includedFiles === 1 ? "1 ignored file comes" : `${includedFiles.toLocaleString("en")} ignored files come`} along.`
      : "",
  ].filter((part) => part !== "");
  return (
    <>
      {words.length > 0 && (
        <p class="place-note" role="status">
          <Icon name="info" class="icon-sm" />
          <span>{words.join(" ")}</span>
        </p>
      )}
      {problem !== undefined && (
        <p class="place-note warn">
          <Icon name="alert" class="icon-sm" />
          <span>{problem}</span>
        </p>
      )}
    </>
  );
}

/** A choice without its reason looks like a bug. */
export function chosenBecause(state: ShellState, { busySessionIds, lastChoice }: WorktreeOptions): string {
  const [first] = busySessionIds;
  const row = first && state.sessions.get(first);
  if (busySessionIds.length > 1) return `Chosen because ${busySessionIds.length} sessions use the project directory.`;
  if (row !== undefined) {
    const agent = agentOf(state, row.cliType)?.name ?? row.cliType;
    return isTurnActive(row.turn)
      ? `Chosen because ${agent} is working in the project: “${row.title}”.`
      : `Chosen because “${row.title}” has unreviewed changes in the project.`;
  }
  if (first !== undefined) return "Chosen because a session uses the project directory.";
  return lastChoice === "worktree" ? "Chosen because you used one here last time." : "";
}

interface NewWorktreeFieldsProps {
  readonly options: WorktreeOptions;
  readonly wish: NewWorktree;
  readonly onChange: (wish: NewWorktree) => void;
}

/** Everything has a default, so it is folded away. */
export function NewWorktreeFields({ options, wish, onChange }: NewWorktreeFieldsProps) {
  const { branch: current, branches, behindCommits, uncommittedFiles } = options;
  const { base, branch, carry } = wish;
  const baseId = useId();
  const branchId = useId();
  const bases = current === null || branches.includes(current) ? branches : [current, ...branches];
  const others = bases.filter((one) => one !== current);
  const from = base ?? current ?? "the current commit";
  return (
    <details class="place-more">
      <summary>
        <Icon name="chevron" class="icon-sm fold" />
        <span>
          From <span class="mono">{from}</span>
          {branch !== undefined && (
            <>
              , on <span class="mono">{branch}</span>
            </>
          )}
          {carry === true && ", with uncommitted work"}
        </span>
      </summary>
      <div class="place-fields">
        <label class="label" for={baseId}>
          From
        </label>
        <select
          id={baseId}
          class="native-select mono"
          value={base ?? ""}
          onChange={({ currentTarget }) => onChange(without(wish, "base", currentTarget.value))}
        >
          <option value="">
            {current ?? "Current commit"}
            {behindCommits !== null && behindCommits > 0 && ` (${behindCommits} behind)`}
          </option>
          {others.map((one) => (
            <option key={one} value={one}>
              {one}
            </option>
          ))}
        </select>
        <label class="label" for={branchId}>
          New branch
        </label>
        <div class="field">
          <Icon name="branch" class="icon-sm" />
          <input
            id={branchId}
            class="mono"
            type="text"
            placeholder="Named after the session"
            autocomplete="off"
            autocapitalize="off"
            spellcheck={false}
            maxLength={BRANCH_CHARS_MAX}
            value={branch ?? ""}
            onInput={({ currentTarget }) => onChange(without(wish, "branch", currentTarget.value.trim()))}
          />
        </div>
        {uncommittedFiles !== 0 && (
          <label class="place-tick">
            <input
              type="checkbox"
              checked={carry === true}
              onChange={({ currentTarget }) => onChange({ ...wish, carry: currentTarget.checked })}
            />
            <span>
              Bring uncommitted work along
              {uncommittedFiles !== null && ` (${filesWords(uncommittedFiles)})`}. The project keeps it, too.
            </span>
          </label>
        )}
      </div>
    </details>
  );
}

/** An empty field has the default of the server. */
function without(wish: NewWorktree, field: "base" | "branch", text: string): NewWorktree {
  const { [field]: _before, ...others } = wish;
  return text === "" ? others : { ...others, [field]: text };
}
