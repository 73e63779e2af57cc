import type { ComponentChildren } from "preact";
import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { ClientRequest } from "../../client/pending-requests.ts";
import { visibleOneLine } from "../../lib/visible-text.ts";
import { filesWords, lineSides } from "../../presentation/changes-words.ts";
import { publishCommands } from "../../presentation/worktree-words.ts";
import type { SessionId } from "../../protocol/ids.ts";
import { TITLE_CHARS_MAX } from "../../protocol/limits.ts";
import type { ServerMessage } from "../../protocol/server-messages.ts";
import {
  MERGE_MESSAGE_CHARS_MAX,
  type MergePreview,
  PULL_REQUEST_CHARS_MAX,
  type PublishPreview,
} from "../../protocol/worktrees.ts";
import { Icon } from "../../ui/icons/icon.tsx";
import { agentIconName } from "../../ui/icons/icon-shapes.ts";
import { newCommandId } from "../../ui/new-command-id.ts";
import { Dialog } from "../controls/dialog.tsx";
import { QuestionFoot } from "../controls/question-foot.tsx";
import { TroubleNotice } from "../controls/trouble-notice.tsx";
import type { Shell } from "../state/shell.ts";
import type { WorktreeTask } from "../state/shell-dialog.ts";
import type { Trouble } from "../state/trouble.ts";
import { heldParts, isUnknown, sessionsIn } from "./worktrees-page.tsx";

interface WorktreeDialogProps {
  readonly shell: Shell;
  readonly of: WorktreeTask;
}

/** Nothing happens to a worktree before its consequences are shown. */
export function WorktreeDialog({ shell, of }: WorktreeDialogProps) {
  if (of.task === "remove") return <RemoveDialog shell={shell} of={of} />;
  return of.task === "purge" ? <PurgeDialog shell={shell} of={of} /> : <MergeDialog shell={shell} of={of} />;
}

/** The answer, or why there is none. */
async function ask(
  shell: Shell,
  request: ClientRequest,
): Promise<{ readonly answer: ServerMessage | null; readonly trouble: Trouble | null }> {
  const told: { trouble: Trouble | null } = { trouble: null };
  const answer = await shell.attempt(request, (_, why) => {
    told.trouble = why;
  });
  return { answer, trouble: told.trouble };
}

function nameOf(shell: Shell, { projectId, worktreeId }: WorktreeTask): string {
  const { worktrees, sessions } = shell.server.value;
  const listed = worktrees.get(projectId)?.find((one) => one.worktreeId === worktreeId)?.name;
  const of = [...sessions.values()].find(({ worktree }) => worktree?.worktreeId === worktreeId);
  return visibleOneLine(listed ?? of?.worktree?.name ?? "worktree");
}

interface QuestionProps {
  readonly shell: Shell;
  readonly title: string;
  readonly action: string;
  readonly busyWords: string;
  readonly isDangerous?: boolean;
  readonly request: ClientRequest;
  readonly children: ComponentChildren;
}

/** A question that stays open until its action has succeeded. */
function Question({ shell, title, action, busyWords, isDangerous = false, request, children }: QuestionProps) {
  const [trouble, setTrouble] = useState<Trouble | null>(null);
  const [isBusy, setBusy] = useState(false);
  const run = async () => {
    if (isBusy) return;
    setBusy(true);
    setTrouble(null);
    const { answer, trouble: why } = await ask(shell, request);
    setBusy(false);
    if (answer === null) setTrouble(why);
    else shell.closeDialog();
  };
  return (
    <Dialog title={title} onClose={() => shell.closeDialog()}>
      <div class="dialog-body">
        {children}
        {trouble !== null && <TroubleNotice trouble={trouble} />}
      </div>
      <QuestionFoot
        action={isBusy ? busyWords : action}
        isDangerous={isDangerous}
        isBusy={isBusy}
        onCancel={() => shell.closeDialog()}
        onConfirm={() => void run()}
      />
    </Dialog>
  );
}

function RemoveDialog({ shell, of }: WorktreeDialogProps) {
  const count = sessionsIn(shell, of.worktreeId).length;
  return (
    <Question
      shell={shell}
      title={`Remove ${nameOf(shell, of)}?`}
      action="Remove"
      busyWords="Removing…"
      request={{ type: "worktree:remove", worktreeId: of.worktreeId }}
    >
      <p>
        {count === 1 ? "1 session works there." : `${count} sessions work there.`} Their transcripts stay. They can go
        on when the worktree is returned from quarantine. Nothing is deleted.
      </p>
    </Question>
  );
}

/** Names what would be lost. Enter does not confirm it. */
function PurgeDialog({ shell, of }: WorktreeDialogProps) {
  const worktree = shell.server.value.worktrees
    .get(of.projectId)
    ?.find(({ worktreeId }) => worktreeId === of.worktreeId);
  const name = nameOf(shell, of);
  const request = { type: "worktree:purge", worktreeId: of.worktreeId, name: worktree?.name ?? name } as const;
  if (worktree?.status === "missing")
    return (
      <Question shell={shell} title={`Forget ${name}?`} action="Forget" busyWords="Forgetting…" request={request}>
        <p>Its directory is gone. This takes it off the list. Its branch and commits stay in the repository.</p>
      </Question>
    );
  const parts = worktree === undefined ? [] : heldParts(worktree);
  return (
    <Question
      shell={shell}
      title={`Delete ${name} permanently?`}
      action="Delete permanently"
      busyWords="Deleting…"
      isDangerous
      request={request}
    >
      {parts.length > 0 && (
        <>
          <p>This deletes work that may exist nowhere else:</p>
          <ul class="lost">
            {parts.map((part) => (
              <li key={part}>{part}</li>
            ))}
          </ul>
        </>
      )}
      {worktree !== undefined && isUnknown(worktree) && (
        <p>Not everything in it was looked at. There may be uncommitted files, or commits that nobody else has.</p>
      )}
      <p>
        {parts.length === 0 && worktree !== undefined && !isUnknown(worktree) && "It has no work of its own. "}
        The directory is deleted from disk. This cannot be undone.
        {worktree !== undefined && worktree.branch !== null && worktree.facts.isMerged !== true && (
          <>
            {" "}
            The branch <span class="mono">{worktree.branch}</span> stays in the repository.
          </>
        )}
      </p>
      {worktree !== undefined && <p class="lost-path mono">{worktree.path}</p>}
    </Question>
  );
}

type Way = "merge" | "publish";
const WAYS: Readonly<Record<Way, string>> = { merge: "Merge", publish: "Pull request" };

/** Merges the work of a worktree here, or pushes it. Typed text stays while the user looks at the other view. */
function MergeDialog({ shell, of }: WorktreeDialogProps) {
  const [way, setWay] = useState<Way>(of.task === "publish" ? "publish" : "merge");
  const merge = useMerge(shell, of);
  const publish = usePublish(shell, of, way === "publish");
  const choice = (
    // biome-ignore lint/a11y/useSemanticElements: buttons of one choice, as elsewhere in the page
    <span class="segmented" role="group" aria-label="How">
      {(["merge", "publish"] as const).map((one) => (
        <button key={one} type="button" aria-pressed={way === one} onClick={() => setWay(one)}>
          {WAYS[one]}
        </button>
      ))}
    </span>
  );
  const name = nameOf(shell, of);
  return (
    <Dialog
      title={way === "merge" ? `Merge ${name}` : `Push ${name}`}
      wide
      onClose={() => shell.closeDialog()}
      headEnd={merge.done === null && publish.done === null ? choice : undefined}
    >
      {way === "merge" ? (
        <MergeView shell={shell} of={of} model={merge} />
      ) : (
        <PublishView shell={shell} model={publish} />
      )}
    </Dialog>
  );
}

interface MergeModel {
  readonly preview: MergePreview | null;
  readonly trouble: Trouble | null;
  /** One of the branches moved while the preview was shown, and it is a new one now. */
  readonly isStale: boolean;
  readonly isLooking: boolean;
  readonly running: "merge" | "commit" | "ask" | "remove" | null;
  readonly done: Extract<ServerMessage, { type: "merge:done" }> | null;
  readonly how: "merge" | "squash";
  /** Null: the server's suggestion. */
  readonly message: string | null;
  /** Of a commit before the merge; null: the session's title. */
  readonly commitMessage: string | null;
  /** What was committed here. */
  readonly committed: { readonly commit: string; readonly files: number } | null;
}

interface MergeActs extends MergeModel {
  readonly look: (into?: string) => void;
  readonly change: (part: Partial<Pick<MergeModel, "how" | "message" | "commitMessage">>) => void;
  readonly commit: (message: string) => void;
  readonly merge: () => void;
  readonly askAgent: (sessionId: SessionId) => void;
  readonly remove: () => void;
}

const NO_MERGE: MergeModel = {
  preview: null,
  trouble: null,
  isStale: false,
  isLooking: true,
  running: null,
  done: null,
  how: "merge",
  message: null,
  commitMessage: null,
  committed: null,
};

function useMerge(shell: Shell, { worktreeId }: WorktreeTask): MergeActs {
  const [model, setModel] = useState(NO_MERGE);
  const asked = useRef(0);
  const set = (part: Partial<MergeModel>) => setModel((before) => ({ ...before, ...part }));
  const look = async (into: string | undefined, isStale: boolean) => {
    asked.current += 1;
    const own = asked.current;
    set({ isLooking: true, trouble: null });
    const { answer, trouble } = await ask(shell, { type: "merge:preview", worktreeId, ...(into && { into }) });
    if (own !== asked.current) return;
    const preview = answer?.type === "merge:preview" ? answer : null;
    // A preview that could not be renewed is not shown any more.
    set({ preview, trouble, isStale: isStale && preview !== null, isLooking: false, running: null });
  };
  useEffect(() => {
    void look(undefined, false);
    return () => {
      asked.current += 1;
    };
  }, [worktreeId]);
  const { preview, how, message, running } = model;
  const merge = async () => {
    if (preview === null || running !== null) return;
    set({ running: "merge", trouble: null, isStale: false });
    const words = (message ?? preview.message).trim();
    const { answer, trouble } = await ask(shell, {
      type: "merge:run",
      worktreeId,
      into: preview.into,
      how,
      ...(how === "squash" && { message: words }),
      expect: preview.expect,
      commandId: newCommandId(),
    });
    if (answer?.type === "merge:done") set({ done: answer, running: null });
    else if (trouble?.code === "WORKDIR_CHANGED") await look(preview.into, true);
    else set({ running: null, trouble });
  };
  const commit = async (words: string) => {
    const uncommitted = preview?.uncommitted;
    if (preview === null || uncommitted === undefined || running !== null) return;
    set({ running: "commit", trouble: null, isStale: false, committed: null });
    const { answer, trouble } = await ask(shell, {
      type: "merge:commit",
      worktreeId,
      message: words,
      expect: uncommitted.expect,
      commandId: newCommandId(),
    });
    if (answer?.type === "merge:committed") {
      set({ committed: { commit: answer.commit, files: preview.uncommittedFiles }, commitMessage: null });
      await look(preview.into, false);
    } else if (trouble?.code === "WORKDIR_CHANGED") {
      await look(preview.into, false);
      set({ trouble });
    } else set({ running: null, trouble });
  };
  const askAgent = async (sessionId: SessionId) => {
    if (preview === null || running !== null) return;
    set({ running: "ask", trouble: null });
    const { answer, trouble } = await ask(shell, {
      type: "merge:ask-agent",
      sessionId,
      worktreeId,
      into: preview.into,
      commandId: newCommandId(),
    });
    if (answer === null) set({ running: null, trouble });
    else {
      shell.closeDialog();
      shell.open(sessionId);
    }
  };
  const remove = async () => {
    if (running !== null) return;
    set({ running: "remove", trouble: null });
    const { answer, trouble } = await ask(shell, { type: "worktree:remove", worktreeId });
    if (answer === null) set({ running: null, trouble });
    else shell.closeDialog();
  };
  return {
    ...model,
    look: (into) => void look(into ?? preview?.into, false),
    change: set,
    merge: () => void merge(),
    commit: (words) => void commit(words),
    askAgent: (sessionId) => void askAgent(sessionId),
    remove: () => void remove(),
  };
}

function MergeView({ shell, of, model }: WorktreeDialogProps & { readonly model: MergeActs }) {
  const { preview, trouble, isStale, isLooking, running, done } = model;
  if (done !== null) return <MergeDone shell={shell} model={model} done={done} />;
  const canMerge = preview?.result === "clean" && preview.inTheWay.length === 0 && !isLooking;
  const isMerging = running === "merge";
  return (
    <form
      aria-busy={isLooking || running !== null}
      onSubmit={(event) => {
        event.preventDefault();
        if (canMerge) model.merge();
      }}
    >
      <div class="dialog-body merge-body">
        {trouble !== null && (
          <TroubleNotice trouble={trouble}>
            <button type="button" class="button" onClick={() => model.look()}>
              Look again
            </button>
          </TroubleNotice>
        )}
        {isStale && (
          <p class="restore-note" role="status">
            A branch moved while this was open. Nothing was merged. The preview is up to date now: check it, then merge
            again.
          </p>
        )}
        {preview === null && isLooking && <p role="status">Comparing branches…</p>}
        {preview !== null && (
          <>
            <Sides preview={preview} onChoose={(into) => model.look(into)} isLooking={isLooking} />
            {model.committed !== null && (
              <p class="result" role="status">
                <span class="mark" data-state="done">
                  <Icon name="check" class="icon-sm" />
                </span>
                <span>
                  <b>Committed {filesWords(model.committed.files)}.</b> Commit{" "}
                  <span class="mono">{model.committed.commit.slice(0, COMMIT_CHARS_SHOWN)}</span>.
                </span>
              </p>
            )}
            {preview.uncommitted !== undefined && (
              <UncommittedCard
                shell={shell}
                of={of}
                model={model}
                preview={preview}
                paths={preview.uncommitted.paths}
              />
            )}
            <PreviewCard preview={preview} />
            {preview.result === "clean" && <MergeHow preview={preview} model={model} />}
          </>
        )}
      </div>
      <footer class="dialog-foot">
        {preview?.result === "conflicts" && <AskAgent shell={shell} of={of} model={model} into={preview.into} />}
        {preview?.result === "nothing" && preview.uncommittedFiles === 0 && (
          <button
            type="button"
            class="button"
            aria-disabled={running !== null ? "true" : undefined}
            onClick={model.remove}
          >
            {running === "remove" ? "Removing…" : "Remove worktree"}
          </button>
        )}
        {preview !== null && preview.inTheWay.length > 0 && (
          <button type="button" class="button" onClick={() => model.look()}>
            Look again
          </button>
        )}
        <span class="spacer" />
        <button type="button" class="button ghost" onClick={() => shell.closeDialog()}>
          {preview?.result === "nothing" ? "Close" : "Cancel"}
        </button>
        {(preview === null || preview.result === "clean") && (
          <button
            type="submit"
            class="button primary"
            data-first-focus=""
            aria-disabled={canMerge && running === null ? undefined : "true"}
          >
            {isMerging ? "Merging…" : mergeWords(preview, model.how)}
          </button>
        )}
      </footer>
    </form>
  );
}

function mergeWords(preview: MergePreview | null, how: MergeModel["how"]): string {
  const words = how === "squash" ? "Squash and merge" : "Merge";
  return preview === null ? words : `${words} into ${preview.into}`;
}

interface SidesProps {
  readonly preview: MergePreview;
  readonly isLooking: boolean;
  readonly onChoose: (into: string) => void;
}

function Sides({ preview: { branch, into, targets }, isLooking, onChoose }: SidesProps) {
  const all = targets.includes(into) ? targets : [into, ...targets];
  return (
    <div class="merge-sides">
      <Icon name="branch" class="icon-sm" />
      <span class="mono truncate" title={branch}>
        {branch}
      </span>
      <span aria-hidden="true">→</span>
      <select
        class="native-select mono"
        aria-label="Merge into"
        value={into}
        onChange={({ currentTarget }) => onChoose(currentTarget.value)}
      >
        {all.map((one) => (
          <option key={one} value={one}>
            {one}
          </option>
        ))}
      </select>
      {isLooking && (
        <span class="faint" role="status">
          Comparing…
        </span>
      )}
    </div>
  );
}

const FILES_SHOWN = 100;

/** A preview touches nothing. */
function PreviewCard({ preview }: { preview: MergePreview }) {
  const { result, conflicts, files, totalFiles, added, removed, commits, inTheWay, uncommittedFiles, into, checkout } =
    preview;
  const conflicting = new Map(conflicts.map(({ path, kind }) => [path, kind]));
  const lines = [
    ...conflicts.map(({ path, kind }) => ({ path, kind, sides: [] as ReturnType<typeof lineSides> })),
    ...files
      .filter(({ path }) => !conflicting.has(path))
      .map((file) => ({ path: file.path, kind: null, sides: lineSides(file) })),
  ];
  const left = Math.max(totalFiles, lines.length) - Math.min(lines.length, FILES_SHOWN);
  return (
    <section class="preview" data-result={result} aria-label="Merge preview">
      <div class="preview-head">
        <PreviewMark preview={preview} />
        <b>{resultWords(preview)}</b>
        {result !== "nothing" && result !== "unknown" && (
          <span class="end">
            <span class="muted">
              {commits === 1 ? "1 commit" : `${commits.toLocaleString("en")} commits`}, {filesWords(totalFiles)}
            </span>
            {/* With conflicts their marks would be counted. */}
            {result === "clean" &&
              lineSides({ added, removed }).map(({ kind, words }) => (
                <span key={kind} class={`stat-${kind}`}>
                  {words}
                </span>
              ))}
          </span>
        )}
      </div>
      {preview.reason !== undefined && <p class="preview-note">{preview.reason}</p>}
      {lines.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and what scrolls must be reachable by keyboard
        <ul class="file-lines" tabIndex={0} aria-label="Files of the merge">
          {lines.slice(0, FILES_SHOWN).map(({ path, kind, sides }) => (
            <li key={path}>
              {kind !== null ? <Icon name="alert" class="icon-sm" /> : conflicts.length > 0 && <span class="slot" />}
              <PathWords path={path} />
              <span class="end">
                {kind ??
                  sides.map((side) => (
                    <span key={side.kind} class={`stat-${side.kind}`}>
                      {side.words}
                    </span>
                  ))}
              </span>
            </li>
          ))}
          {left > 0 && <li class="rest">{filesWords(left).replace(/ /, " more ")}</li>}
        </ul>
      )}
      {inTheWay.length > 0 && (
        <div class="preview-note" role="status">
          <Icon name="alert" class="icon-sm" />
          <div>
            <p>
              Uncommitted in {checkout ?? `the checkout of ${into}`}, and not as the merge brings them. Commit them
              there, or put them away with <code>git stash push --include-untracked</code>, then look again:
            </p>
            <ul class="in-the-way">
              {inTheWay.slice(0, FILES_SHOWN).map((path) => (
                <li key={path}>
                  <PathWords path={path} />
                </li>
              ))}
            </ul>
          </div>
        </div>
      )}
      <p class="preview-note">
        <Icon name="info" class="icon-sm" />
        <span>
          {noteWords(preview)}
          {uncommittedFiles > 0 &&
            result !== "nothing" &&
            ` ${filesWords(uncommittedFiles).replace(/file/, "uncommitted file")} in the worktree ${uncommittedFiles === 1 ? "is" : "are"} no part of it.`}
        </span>
      </p>
    </section>
  );
}

interface UncommittedCardProps extends WorktreeDialogProps {
  readonly model: MergeActs;
  readonly preview: MergePreview;
  readonly paths: readonly string[];
}

/** A merge takes commits only: what is not committed yet can be committed here, whole. */
function UncommittedCard({ shell, of, model, preview: { uncommittedFiles, result }, paths }: UncommittedCardProps) {
  const fieldId = useId();
  const { sessions } = shell.server.value;
  const [titled] = sessionsIn(shell, of.worktreeId).flatMap((id) => sessions.get(id)?.title ?? []);
  const words = (model.commitMessage ?? titled ?? nameOf(shell, of)).trim();
  const canCommit = words !== "" && model.running === null && !model.isLooking;
  const commit = () => canCommit && model.commit(words);
  const left = uncommittedFiles - Math.min(paths.length, FILES_SHOWN);
  return (
    <section class="preview" aria-label="Uncommitted work">
      <div class="preview-head">
        <Icon name="info" class="icon-sm" />
        <b>{filesWords(uncommittedFiles).replace(/file/, "uncommitted file")}</b>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and what scrolls must be reachable by keyboard */}
      <ul class="file-lines" tabIndex={0} aria-label="Uncommitted files">
        {paths.slice(0, FILES_SHOWN).map((path) => (
          <li key={path}>
            <PathWords path={path} />
          </li>
        ))}
        {left > 0 && <li class="rest">{filesWords(left).replace(/ /, " more ")}</li>}
      </ul>
      <div class="commit-first">
        <label class="label" for={fieldId}>
          Message of the commit
        </label>
        <textarea
          id={fieldId}
          class="field mono"
          rows={2}
          maxLength={MERGE_MESSAGE_CHARS_MAX}
          readOnly={model.running !== null}
          value={model.commitMessage ?? words}
          onInput={({ currentTarget }) => model.change({ commitMessage: currentTarget.value })}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
            event.preventDefault();
            commit();
          }}
        />
        <button
          type="button"
          class={result === "nothing" ? "button primary" : "button"}
          data-first-focus={result === "nothing" ? "" : undefined}
          aria-disabled={canCommit ? undefined : "true"}
          onClick={commit}
        >
          {model.running === "commit" ? "Committing…" : `Commit ${filesWords(uncommittedFiles)}`}
        </button>
      </div>
    </section>
  );
}

function PreviewMark({ preview: { result, inTheWay, uncommittedFiles } }: { preview: MergePreview }) {
  const isBad = result === "conflicts" || result === "unknown" || inTheWay.length > 0;
  if (result === "nothing" && uncommittedFiles > 0) return <Icon name="info" class="icon-sm" />;
  return (
    <span class="mark" data-state={isBad ? "failed" : "done"}>
      <Icon name={isBad ? "fail" : "check"} class="icon-sm" />
    </span>
  );
}

function resultWords({ result, conflicts, inTheWay, into, uncommittedFiles }: MergePreview): string {
  switch (result) {
    case "clean":
      return inTheWay.length > 0 ? `${filesWords(inTheWay.length)} in the way` : "Merges cleanly";
    case "conflicts":
      return conflicts.length === 1 ? "1 file conflicts" : `${conflicts.length.toLocaleString("en")} files conflict`;
    case "nothing":
      return uncommittedFiles > 0 ? "No commit to merge" : `Everything is in ${into} already`;
    case "unknown":
      return "Git cannot tell whether this merges";
    default:
      return result satisfies never;
  }
}

function noteWords({ result, into, uncommittedFiles }: MergePreview): string {
  if (result === "conflicts")
    return `Nothing was touched. The agent merges ${into} into its branch and resolves the conflicts; then look again.`;
  if (result === "nothing")
    return uncommittedFiles > 0
      ? "A merge takes commits only: commit the files above first."
      : "There is nothing to merge.";
  return "This is a preview. Nothing was touched.";
}

/** The directory quiet, the name strong. */
function PathWords({ path }: { path: string }) {
  const words = visibleOneLine(path);
  const at = words.lastIndexOf("/") + 1;
  return (
    <span class="file-path" title={words}>
      <span class="dir">{words.slice(0, at)}</span>
      <span class="base">{words.slice(at)}</span>
    </span>
  );
}

function MergeHow({ preview, model }: { preview: MergePreview; model: MergeActs }) {
  const fieldId = useId();
  const isRunning = model.running !== null;
  return (
    <div class="merge-how">
      <div class="merge-ways" role="radiogroup" aria-label="Commit">
        {(["merge", "squash"] as const).map((how) => (
          <label key={how}>
            <input
              type="radio"
              name="how"
              checked={model.how === how}
              onChange={() => !isRunning && model.change({ how })}
            />
            {how === "merge" ? "One merge commit" : "Squash into one commit"}
          </label>
        ))}
      </div>
      {model.how === "squash" && (
        <>
          <label class="visually-hidden" for={fieldId}>
            Commit message
          </label>
          <textarea
            id={fieldId}
            class="field mono"
            rows={4}
            placeholder="Commit message"
            maxLength={MERGE_MESSAGE_CHARS_MAX}
            readOnly={isRunning}
            value={model.message ?? preview.message}
            onInput={({ currentTarget }) => model.change({ message: currentTarget.value })}
            onKeyDown={(event) => {
              if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
              event.preventDefault();
              event.currentTarget.form?.requestSubmit();
            }}
          />
        </>
      )}
    </div>
  );
}

interface AskAgentProps extends WorktreeDialogProps {
  readonly model: MergeActs;
  readonly into: string;
}

/** Conflicts are work for the agent, not a merge editor. */
function AskAgent({ shell, of, model, into }: AskAgentProps) {
  const { sessions } = shell.server.value;
  const rows = sessionsIn(shell, of.worktreeId).flatMap((id) => sessions.get(id) ?? []);
  const [chosen, setChosen] = useState<SessionId | null>(null);
  const row = rows.find(({ id }) => id === chosen) ?? rows[0];
  if (row === undefined)
    return <span class="faint">No session works there. Start one in it to resolve the conflicts.</span>;
  return (
    <>
      {rows.length > 1 && (
        <select
          class="native-select"
          aria-label="Session"
          value={row.id}
          onChange={({ currentTarget }) => setChosen(rows.find(({ id }) => id === currentTarget.value)?.id ?? null)}
        >
          {rows.map(({ id, title }) => (
            <option key={id} value={id}>
              {title}
            </option>
          ))}
        </select>
      )}
      <button
        type="button"
        class="button"
        data-first-focus=""
        title={`Asks the agent of “${row.title}” to merge ${into} into its branch`}
        aria-disabled={model.running !== null ? "true" : undefined}
        onClick={() => model.askAgent(row.id)}
      >
        <Icon name={agentIconName(row.cliType)} class="icon-sm agent" />
        {model.running === "ask" ? "Asking…" : `Let the agent bring ${into} in`}
      </button>
    </>
  );
}

const COMMIT_CHARS_SHOWN = 8;

function MergeDone({
  shell,
  model,
  done,
}: {
  readonly shell: Shell;
  readonly model: MergeActs;
  readonly done: Extract<ServerMessage, { type: "merge:done" }>;
}) {
  const button = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => button.current?.focus(), []);
  const left = model.preview?.uncommittedFiles ?? 0;
  return (
    <>
      <div class="dialog-body">
        <p class="result" role="status">
          <span class="mark" data-state="done">
            <Icon name="check" class="icon-sm" />
          </span>
          <span>
            <b>Merged into {done.into}.</b> Commit <span class="mono">{done.commit.slice(0, COMMIT_CHARS_SHOWN)}</span>.
          </span>
        </p>
        <p>
          {left > 0 &&
            `${filesWords(left).replace(/file/, "uncommitted file")} ${left === 1 ? "is" : "are"} still in the worktree. `}
          Removing the worktree moves it to quarantine, from where it can be returned.
        </p>
        {model.trouble !== null && <TroubleNotice trouble={model.trouble} />}
      </div>
      <footer class="dialog-foot">
        <span class="spacer" />
        <button type="button" class="button ghost" onClick={() => shell.closeDialog()}>
          Keep worktree
        </button>
        <button
          type="button"
          ref={button}
          class="button primary"
          aria-disabled={model.running !== null ? "true" : undefined}
          onClick={model.remove}
        >
          {model.running === "remove" ? "Removing…" : "Remove worktree"}
        </button>
      </footer>
    </>
  );
}

interface PublishModel {
  readonly preview: PublishPreview | null;
  readonly trouble: Trouble | null;
  readonly isStale: boolean;
  readonly running: "push" | "pull-request" | null;
  readonly done: Extract<ServerMessage, { type: "publish:done" }> | null;
  /** Null: the server's suggestion. */
  readonly title: string | null;
  readonly body: string | null;
}

interface PublishActs extends PublishModel {
  readonly look: () => void;
  readonly change: (part: Partial<Pick<PublishModel, "title" | "body">>) => void;
  readonly run: (how: "push" | "pull-request") => void;
}

const NO_PUBLISH: PublishModel = {
  preview: null,
  trouble: null,
  isStale: false,
  running: null,
  done: null,
  title: null,
  body: null,
};

function usePublish(shell: Shell, { worktreeId }: WorktreeTask, isShown: boolean): PublishActs {
  const [model, setModel] = useState(NO_PUBLISH);
  const isOver = useRef(false);
  const set = (part: Partial<PublishModel>) => setModel((before) => ({ ...before, ...part }));
  const look = async (isStale: boolean) => {
    set({ trouble: null });
    const { answer, trouble } = await ask(shell, { type: "publish:preview", worktreeId });
    if (isOver.current) return;
    const preview = answer?.type === "publish:preview" ? answer : null;
    set({ preview, trouble, running: null, isStale: isStale && preview !== null });
  };
  useEffect(
    () => () => {
      isOver.current = true;
    },
    [],
  );
  useEffect(() => {
    if (isShown && model.preview === null) void look(false);
  }, [isShown]);
  const { preview, running } = model;
  const run = async (how: "push" | "pull-request") => {
    if (preview === null || running !== null) return;
    set({ running: how, trouble: null, isStale: false });
    const title = (model.title ?? preview.title).trim();
    const body = model.body ?? preview.body;
    const { answer, trouble } = await ask(shell, {
      type: "publish:run",
      worktreeId,
      ...(how === "pull-request" && { pullRequest: { title, body } }),
      expect: preview.expect,
      commandId: newCommandId(),
    });
    if (isOver.current) return;
    if (answer?.type === "publish:done") set({ done: answer, running: null });
    else if (trouble?.code === "WORKDIR_CHANGED") await look(true);
    else set({ running: null, trouble });
  };
  return { ...model, look: () => void look(false), change: set, run: (how) => void run(how) };
}

function PublishView({ shell, model }: { readonly shell: Shell; readonly model: PublishActs }) {
  const { preview, trouble, isStale, running, done } = model;
  const titleId = useId();
  const bodyId = useId();
  if (done !== null) return <PublishDone shell={shell} done={done} />;
  const hasTool = preview?.tool != null;
  const title = model.title ?? preview?.title ?? "";
  const canPush = preview !== null && preview.remote !== null && running === null;
  const canOpen = canPush && title.trim() !== "";
  const name = preview?.tool === "glab" ? "merge request" : "pull request";
  return (
    <form
      aria-busy={preview === null && trouble === null}
      onSubmit={(event) => {
        event.preventDefault();
        if (hasTool ? canOpen : canPush) model.run(hasTool ? "pull-request" : "push");
      }}
    >
      <div class="dialog-body">
        {trouble !== null && (
          <TroubleNotice trouble={trouble}>
            <button type="button" class="button" onClick={model.look}>
              Look again
            </button>
          </TroubleNotice>
        )}
        {isStale && (
          <p class="restore-note" role="status">
            The branch moved while this was open. Nothing was pushed. Check it, then push again.
          </p>
        )}
        {preview === null && trouble === null && <p role="status">Looking at the remote…</p>}
        {preview !== null && (
          <>
            {preview.remote === null ? (
              <p role="status">{preview.reason ?? "The repository has no remote to push to."}</p>
            ) : (
              <p>
                {preview.unpushedCommits === 0
                  ? `All commits of ${preview.branch} are on ${preview.remote}.`
                  : `${preview.unpushedCommits === 1 ? "1 commit" : `${preview.unpushedCommits.toLocaleString("en")} commits`} of ${preview.branch} ${preview.unpushedCommits === 1 ? "goes" : "go"} to ${preview.remote}.`}
                {!hasTool && preview.reason !== undefined && ` ${preview.reason}`}
              </p>
            )}
            {hasTool && (
              <div class="publish-fields">
                <label class="label" for={titleId}>
                  Title
                </label>
                <div class="field">
                  <input
                    id={titleId}
                    type="text"
                    maxLength={TITLE_CHARS_MAX}
                    readOnly={running !== null}
                    value={title}
                    onInput={({ currentTarget }) => model.change({ title: currentTarget.value })}
                  />
                </div>
                <label class="label" for={bodyId}>
                  Description
                </label>
                <textarea
                  id={bodyId}
                  class="field"
                  rows={6}
                  maxLength={PULL_REQUEST_CHARS_MAX}
                  readOnly={running !== null}
                  value={model.body ?? preview.body}
                  onInput={({ currentTarget }) => model.change({ body: currentTarget.value })}
                />
              </div>
            )}
            {preview.commands.length > 0 && (
              <section class="commands" aria-label="Commands that run">
                <h3>Runs</h3>
                {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and what scrolls must be reachable by keyboard */}
                <pre tabIndex={0}>{publishCommands(preview, title.trim(), model.body ?? preview.body)}</pre>
              </section>
            )}
          </>
        )}
      </div>
      <footer class="dialog-foot">
        <span class="spacer" />
        <button type="button" class="button ghost" onClick={() => shell.closeDialog()}>
          {preview?.remote === null ? "Close" : "Cancel"}
        </button>
        {hasTool && preview.unpushedCommits > 0 && (
          <button
            type="button"
            class="button"
            aria-disabled={canPush ? undefined : "true"}
            onClick={() => canPush && model.run("push")}
          >
            {running === "push" ? "Pushing…" : "Push only"}
          </button>
        )}
        {preview?.remote !== null && (
          <button
            type="submit"
            class="button primary"
            aria-disabled={(hasTool ? canOpen : canPush) ? undefined : "true"}
          >
            {hasTool
              ? running === "pull-request"
                ? "Opening…"
                : `Push and open ${name}`
              : running === "push"
                ? "Pushing…"
                : "Push"}
          </button>
        )}
      </footer>
    </form>
  );
}

function PublishDone({
  shell,
  done: { url, output },
}: {
  readonly shell: Shell;
  readonly done: Extract<ServerMessage, { type: "publish:done" }>;
}) {
  const close = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => close.current?.focus(), []);
  return (
    <>
      <div class="dialog-body">
        <p class="result" role="status">
          <span class="mark" data-state="done">
            <Icon name="check" class="icon-sm" />
          </span>
          <span>
            <b>{url === null ? "Pushed." : "Pushed, and the pull request is open."}</b>{" "}
            {url !== null && isWebAddress(url) && (
              <a class="link" href={url} target="_blank" rel="noopener noreferrer">
                {url}
              </a>
            )}
            {url !== null && !isWebAddress(url) && <span class="mono">{visibleOneLine(url)}</span>}
          </span>
        </p>
        {output !== "" && (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and what scrolls must be reachable by keyboard
          <pre class="told-details" tabIndex={0}>
            {output}
          </pre>
        )}
      </div>
      <footer class="dialog-foot">
        <span class="spacer" />
        <button type="button" ref={close} class="button primary" onClick={() => shell.closeDialog()}>
          Close
        </button>
      </footer>
    </>
  );
}

/** The address comes from the output of a program. */
function isWebAddress(url: string): boolean {
  return URL.canParse(url) && ["https:", "http:"].includes(new URL(url).protocol);
}
