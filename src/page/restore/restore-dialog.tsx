import type { ComponentChildren } from "preact";
import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { visibleOneLine, visiblePieces } from "../../lib/visible-text.ts";
import { filesWords, leftOutWords, lineSides, STATUS_LETTERS } from "../../presentation/changes-words.ts";
import type { CheckpointInfo, LeftOutFile, RestoreItem, RestorePreview } from "../../protocol/changes.ts";
import { isTurnActive } from "../../protocol/session-schema.ts";
import { KeyHint } from "../../ui/controls/key-hint.tsx";
import { Icon } from "../../ui/icons/icon.tsx";
import { newCommandId } from "../../ui/new-command-id.ts";
import { exactTime } from "../../ui/words/time-words.ts";
import { Dialog } from "../controls/dialog.tsx";
import { TroubleNotice } from "../controls/trouble-notice.tsx";
import type { Shell } from "../state/shell.ts";
import type { RestoreOf } from "../state/shell-dialog.ts";
import { agentOf, rowOf } from "../state/shell-state.ts";
import type { Trouble } from "../state/trouble.ts";
import {
  type Chosen,
  chooseAgain,
  firstChoice,
  rowsInView,
  STATUS_OF_EFFECT,
  tickedOf,
  withTicks,
} from "./restore-choice.ts";

const TITLES: Readonly<Record<CheckpointInfo["phase"], string>> = {
  before: "Restore files to before this turn?",
  after: "Restore files to after this turn?",
  safety: "Restore files to this safety copy?",
};
const UNCHANGED: Readonly<Record<CheckpointInfo["phase"], string>> = {
  before: "Nothing to restore: the files are as they were before this turn.",
  after: "Nothing to restore: the files are as they were after this turn.",
  safety: "Nothing to restore: the files are as they are in this copy.",
};

/** Asks which files go back to a checkpoint, shows what happens to each, and restores them. */
export function RestoreDialog({ shell, restore }: { shell: Shell; restore: RestoreOf }) {
  const { sessionId, phase, message } = restore;
  const state = shell.server.value;
  const row = rowOf(state, sessionId);
  const agent = (row && agentOf(state, row.cliType)?.name) ?? "the agent";
  const isWorking = row !== undefined && isTurnActive(row.turn);
  const model = useRestore(shell, restore, isWorking);
  const { preview, chosen, trouble, isBusy, isStale, isRestoring } = model;
  const count = preview === null ? 0 : chosen.size;
  const stops = isWorking || isBusy;
  const isEmpty = preview !== null && preview.own.length + preview.changedSince.length === 0;
  return (
    <Dialog title={TITLES[phase]} onClose={() => shell.closeDialog()}>
      <form
        class="restore"
        aria-busy={preview === null && trouble === null}
        onSubmit={(event) => {
          event.preventDefault();
          if (count > 0 && !isRestoring) model.restore({ stopTurn: stops });
        }}
      >
        <div class="dialog-body">
          <CheckpointWords phase={phase} at={preview?.checkpoint.at ?? restore.at} message={message} />
          {trouble !== null && (
            <TroubleNotice trouble={trouble}>
              {trouble.code === "CHECKPOINT_NOT_FOUND" ? (
                <button
                  type="button"
                  class="button"
                  onClick={() => {
                    shell.dialog.value = { kind: "checkpoints", sessionId };
                  }}
                >
                  Show checkpoints
                </button>
              ) : (
                <button type="button" class="button" onClick={model.look}>
                  Try again
                </button>
              )}
            </TroubleNotice>
          )}
          {isStale && (
            <p class="restore-note" role="status">
              Files changed while this was open. Nothing was restored. The list is up to date now: check it, then
              restore again.
            </p>
          )}
          {preview === null && trouble === null && <p role="status">Comparing files…</p>}
          {isEmpty && <p role="status">{UNCHANGED[phase]}</p>}
          {preview !== null && <Groups preview={preview} chosen={chosen} onChoose={model.choose} />}
          {preview !== null && !isEmpty && (
            <div class="safety">
              <Icon name="shield" class="icon-sm" />
              <p>
                <b>You can undo this.</b> The current files are saved first. The conversation and your commits stay;
                your next message tells {agent} what went back.
              </p>
            </div>
          )}
          {preview !== null && !isEmpty && stops && (
            <div class="notice" data-severity="warning" role="status">
              <Icon name="alert" />
              <div class="body">
                <p>
                  {isWorking ? agent : "An agent"} is working in this directory. Restoring stops every turn that runs
                  here, then restores the files.
                </p>
              </div>
            </div>
          )}
        </div>
        <footer class="dialog-foot">
          {count > 0 && phase !== "safety" && !stops && (
            <button
              type="button"
              class="button ghost"
              title={`Restores the files and continues in a new session. ${agent} gets the conversation up to here.`}
              aria-disabled={isRestoring ? "true" : undefined}
              onClick={() => !isRestoring && model.restore({ newSession: true })}
            >
              New session from here
            </button>
          )}
          <span class="spacer" />
          <button type="button" class="button ghost" onClick={() => shell.closeDialog()}>
            {isEmpty ? "Close" : "Cancel"}
          </button>
          {!isEmpty && (preview !== null || trouble === null) && (
            <button
              type="submit"
              class="button primary"
              data-first-focus=""
              aria-disabled={count === 0 || isRestoring ? "true" : undefined}
            >
              {actionWords(count, stops, isRestoring)}
              <KeyHint name="↵" />
            </button>
          )}
        </footer>
      </form>
    </Dialog>
  );
}

function actionWords(count: number, stops: boolean, isRestoring: boolean): string {
  if (isRestoring) return "Restoring…";
  if (stops) return "Stop the agent and restore";
  return count === 0 ? "Restore" : `Restore ${filesWords(count)}`;
}

interface RestoreModel {
  /** Null until it has loaded. */
  readonly preview: RestorePreview | null;
  readonly chosen: Chosen;
  readonly trouble: Trouble | null;
  /** The server reports that an agent works in the directory. */
  readonly isBusy: boolean;
  /** The files changed while they were shown, and are shown anew. */
  readonly isStale: boolean;
  readonly isRestoring: boolean;
  readonly look: () => void;
  readonly choose: (chosen: Chosen) => void;
  readonly restore: (how: RestoreHow) => void;
}

interface RestoreHow {
  readonly stopTurn?: boolean;
  readonly newSession?: boolean;
}

const NOTHING_YET = {
  preview: null as RestorePreview | null,
  chosen: new Set() as Chosen,
  trouble: null as Trouble | null,
  isBusy: false,
  isStale: false,
  isRestoring: false,
};

function useRestore(shell: Shell, { sessionId, checkpointId }: RestoreOf, isWorking: boolean): RestoreModel {
  const [state, setState] = useState(NOTHING_YET);
  const asked = useRef(0);
  const look = async (isStale: boolean) => {
    asked.current += 1;
    const own = asked.current;
    const told: { trouble?: Trouble } = {};
    const answer = await shell.attempt({ type: "checkpoint:preview", sessionId, checkpointId }, (_, trouble) => {
      told.trouble = trouble;
    });
    // The dialog was closed, or it has asked again.
    if (own !== asked.current) return;
    setState((before) => {
      if (answer?.type !== "checkpoint:preview")
        return { ...before, trouble: told.trouble ?? null, isRestoring: false, preview: null };
      const chosen = before.preview === null ? firstChoice(answer) : chooseAgain(before.preview, before.chosen, answer);
      return { ...before, preview: answer, chosen, trouble: null, isStale, isRestoring: false, isBusy: false };
    });
  };
  useEffect(() => {
    // While an agent works, files change; at its end they are compared anew.
    void look(false);
    return () => {
      asked.current += 1;
    };
  }, [sessionId, checkpointId, isWorking]);
  const restore = async ({ stopTurn = false, newSession = false }: RestoreHow) => {
    if (state.preview === null) return;
    setState((before) => ({ ...before, isRestoring: true, isStale: false, trouble: null }));
    const told: { trouble?: Trouble } = {};
    const answer = await shell.attempt(
      {
        type: "checkpoint:restore",
        sessionId,
        checkpointId,
        paths: [...state.chosen],
        expect: state.preview.version,
        commandId: newCommandId(),
        ...(stopTurn && { stopTurn }),
        ...(newSession && { newSession }),
      },
      (_, trouble) => {
        told.trouble = trouble;
      },
    );
    if (answer !== null) {
      shell.closeDialog();
      const next = (answer.type === "checkpoint:restored" && answer.newSessionId) || sessionId;
      if (shell.shownSession() !== next) shell.open(next);
    } else if (told.trouble?.code === "WORKDIR_CHANGED") await look(true);
    else if (told.trouble?.code === "WORKDIR_BUSY")
      setState((before) => ({ ...before, isRestoring: false, isBusy: true }));
    else setState((before) => ({ ...before, isRestoring: false, trouble: told.trouble ?? null }));
  };
  return {
    ...state,
    look: () => {
      setState((before) => ({ ...before, trouble: null, preview: null }));
      void look(false);
    },
    choose: (chosen) => setState((before) => ({ ...before, chosen, isStale: false })),
    restore: (how) => void restore(how),
  };
}

/** Which checkpoint it is, in one line. */
function CheckpointWords({ phase, at, message }: Pick<RestoreOf, "phase" | "at" | "message">) {
  const words = message === undefined ? "" : visibleOneLine(message);
  return (
    <p class="restore-which">
      {at === undefined ? "Checkpoint" : "Checkpoint of "}
      {at !== undefined && (
        <time dateTime={at} title={exactTime(at)}>
          {clockWords(at)}
        </time>
      )}
      {words !== "" && phase !== "safety" && `, ${phase} “${words}”`}
    </p>
  );
}

/** The time of day; with its date when that is not today. */
export function clockWords(at: string): string {
  const time = new Date(at);
  const clock = time.toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit" });
  const isToday = time.toDateString() === new Date().toDateString();
  return isToday ? clock : `${time.toLocaleDateString(undefined, { month: "short", day: "numeric" })}, ${clock}`;
}

interface GroupsProps {
  readonly preview: RestorePreview;
  readonly chosen: Chosen;
  readonly onChoose: (chosen: Chosen) => void;
}

function Groups({ preview, chosen, onChoose }: GroupsProps) {
  const { own, changedSince, impossible, total } = preview;
  const listed = own.length + changedSince.length;
  const choice = { chosen, onChoose };
  return (
    <>
      {own.length > 0 && (
        <Group title="Goes back" count={own.length} words="Changed by this session only">
          <Rows {...choice} items={own} title="Goes back" />
        </Group>
      )}
      {changedSince.length > 0 && (
        <Group title="Changed since" count={changedSince.length} words="Left as it is unless you choose it">
          <p class="restore-why">
            Edited by you, another program or another session after this checkpoint. Restoring drops these edits too.
          </p>
          <Rows {...choice} items={changedSince} title="Changed since" />
        </Group>
      )}
      {impossible.length > 0 && (
        <Group title="Cannot be restored" count={impossible.length} words="Not in the checkpoint">
          <LongList count={impossible.length} label="Cannot be restored">
            {(index) => <ImpossibleRow key={index} file={impossible[index]} />}
          </LongList>
        </Group>
      )}
      {total > listed && (
        <p>
          {listed.toLocaleString("en")} of {filesWords(total)} are listed. Restore these first, then open this again for
          the rest.
        </p>
      )}
    </>
  );
}

interface GroupProps {
  readonly title: string;
  readonly count: number;
  readonly words: string;
  readonly children: ComponentChildren;
}

function Group({ title, count, words, children }: GroupProps) {
  const titleId = useId();
  return (
    <section class="restore-group" aria-labelledby={titleId}>
      <div class="restore-group-head">
        <h3 id={titleId}>{title}</h3>
        <span class="n">{count.toLocaleString("en")}</span>
        <span class="end">{words}</span>
      </div>
      {children}
    </section>
  );
}

/** With more than this, all of a group can be ticked at once. */
const FEW_ITEMS = 5;

interface RowsProps {
  readonly items: readonly RestoreItem[];
  readonly title: string;
  readonly chosen: Chosen;
  readonly onChoose: (chosen: Chosen) => void;
}

function Rows({ items, title, chosen, onChoose }: RowsProps) {
  const ticked = tickedOf(items, chosen);
  const all = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    if (all.current) all.current.indeterminate = ticked === "some";
  }, [ticked]);
  return (
    <>
      {items.length > FEW_ITEMS && (
        <label class="restore-row">
          <input
            ref={all}
            type="checkbox"
            checked={ticked === "all"}
            onChange={() =>
              onChoose(
                withTicks(
                  chosen,
                  items.map(({ path }) => path),
                  ticked !== "all",
                ),
              )
            }
          />
          <span class="all">All {filesWords(items.length)}</span>
        </label>
      )}
      <LongList count={items.length} label={title}>
        {(index) => {
          const item = items[index];
          return item && <ItemRow key={item.path} item={item} chosen={chosen} onChoose={onChoose} />;
        }}
      </LongList>
    </>
  );
}

function ItemRow({ item, chosen, onChoose }: Omit<RowsProps, "items" | "title"> & { readonly item: RestoreItem }) {
  const { path, effect } = item;
  const status = STATUS_OF_EFFECT[effect];
  const isTicked = chosen.has(path);
  return (
    <li>
      <label class="restore-row">
        <input
          type="checkbox"
          // Read aloud as one word: screen readers would read the parts of the path as separate words.
          aria-label={`${visibleOneLine(path)}, ${effectWords(item)}`}
          checked={isTicked}
          onChange={() => onChoose(withTicks(chosen, [path], !isTicked))}
        />
        <span class="status-letter" data-status={STATUS_LETTERS[status]} aria-hidden="true">
          {STATUS_LETTERS[status]}
        </span>
        <FilePath path={path} />
        <span class="fact">
          <ItemFact item={item} />
        </span>
      </label>
    </li>
  );
}

function ItemFact({ item }: { item: RestoreItem }) {
  const sides = item.effect === "changed" ? lineSides(item) : [];
  if (sides.length === 0) return <>{effectWords(item)}</>;
  return sides.map(({ kind, words }) => (
    <span key={kind} class={`stat-${kind}`}>
      {words}
    </span>
  ));
}

/** What the restore does to a file. */
function effectWords(item: RestoreItem): string {
  if (item.effect === "deleted") return "will be removed";
  if (item.effect === "created") return "will be brought back";
  if (item.added === null || item.removed === null) return "binary";
  return (
    lineSides(item)
      .map(({ words }) => words)
      .join(" ") || "no lines changed"
  );
}

function ImpossibleRow({ file }: { file: LeftOutFile | undefined }) {
  if (file === undefined) return null;
  return (
    <li class="restore-row off">
      <Icon name="minus" class="icon-sm" />
      <FilePath path={file.path} />
      <span class="fact">{leftOutWords(file.reason)}</span>
    </li>
  );
}

function FilePath({ path }: { path: string }) {
  const at = path.lastIndexOf("/") + 1;
  return (
    <span class="file-path" title={path}>
      {at > 0 && (
        <span class="dir">
          <Signs text={path.slice(0, at)} />
        </span>
      )}
      <span class="base">
        <Signs text={path.slice(at)} />
      </span>
    </span>
  );
}

/** Invisible characters are shown as signs. */
function Signs({ text }: { text: string }) {
  return visiblePieces(text).map(({ kind, text: shown }, index) =>
    kind === "text" ? (
      shown
    ) : (
      <span key={index} class="unseen">
        {shown}
      </span>
    ),
  );
}

/** Shorter lists are in the page as a whole. */
const WHOLE_ROWS_MAX = 60;
/** Until the first row is measured. */
const ROW_PX = 28;

interface LongListProps {
  readonly count: number;
  readonly label: string;
  readonly children: (index: number) => ComponentChildren;
}

/** As many rows as there may be, all of one height; of a long list only those near the view exist. */
function LongList({ count, label, children }: LongListProps) {
  const scroller = useRef<HTMLElement>(null);
  const [view, setView] = useState({ topPx: 0, heightPx: 0, rowPx: ROW_PX });
  const look = () => {
    const { current } = scroller;
    if (current === null) return;
    const { scrollTop: topPx, clientHeight: heightPx } = current;
    const rowPx = current.querySelector("li")?.offsetHeight ?? ROW_PX;
    setView((before) =>
      before.topPx === topPx && before.heightPx === heightPx && before.rowPx === rowPx
        ? before
        : { topPx, heightPx, rowPx },
    );
  };
  useLayoutEffect(look, [count]);
  const indexes = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index);
  if (count <= WHOLE_ROWS_MAX) return <ul class="restore-list">{indexes(0, count).map(children)}</ul>;
  const { from, to } = rowsInView(count, view, view.rowPx);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard
    <section class="restore-long" ref={scroller} tabIndex={0} aria-label={`Files: ${label}`} onScroll={look}>
      <ul
        class="restore-list"
        style={{ paddingTop: `${from * view.rowPx}px`, paddingBottom: `${(count - to) * view.rowPx}px` }}
      >
        {indexes(from, to).map(children)}
      </ul>
    </section>
  );
}
