import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { visibleOneLine } from "../../lib/visible-text.ts";
import { filesWords } from "../../presentation/changes-words.ts";
import { overlapDetails, overlapWords } from "../../presentation/worktree-words.ts";
import type { ProjectId, SessionId } from "../../protocol/ids.ts";
import type { CommandConsent } from "../../protocol/terminals.ts";
import type { WorktreeId } from "../../protocol/worktree-ref.ts";
import type { Worktree } from "../../protocol/worktrees.ts";
import { moveFocus } from "../../ui/controls/move-focus.ts";
import { placeBeside } from "../../ui/controls/place-beside.ts";
import { Icon } from "../../ui/icons/icon.tsx";
import { agentIconName, type IconName } from "../../ui/icons/icon-shapes.ts";
import { ageWords, exactTime, relativeAge } from "../../ui/words/time-words.ts";
import { memoryWords } from "../agents/agents-status.ts";
import { Mark } from "../controls/mark.tsx";
import { TroubleNotice } from "../controls/trouble-notice.tsx";
import { PageFrame } from "../pages/page-frame.tsx";
import { MARK_WORDS, type SessionMark, sessionMark } from "../state/session-mark.ts";
import type { Shell } from "../state/shell.ts";
import { askForSession } from "../state/shell-actions.ts";
import type { WorktreeTask } from "../state/shell-dialog.ts";
import { agentOf } from "../state/shell-state.ts";
import type { Trouble } from "../state/trouble.ts";

/** The worktrees of a project: their content, their sessions, and their actions. */
export function WorktreesPage({ shell, projectId }: { shell: Shell; projectId: ProjectId }) {
  const state = shell.server.value;
  const project = state.projects.find(({ id }) => id === projectId);
  const worktrees = state.worktrees.get(projectId);
  const actions = useActions(shell, projectId);
  const isConnected = shell.phase.value.phase === "open";
  useEffect(() => {
    if (isConnected) actions.list();
  }, [isConnected]);
  const shown = worktrees?.filter(({ status }) => status !== "removed") ?? [];
  const removed = worktrees?.filter(({ status }) => status === "removed") ?? [];
  return (
    <PageFrame
      shell={shell}
      name="worktrees-page"
      title="Worktrees"
      head={
        <>
          <span class="muted truncate">{project?.name}</span>
          {worktrees !== undefined && <Figures shell={shell} shown={shown} />}
        </>
      }
    >
      <div class="sheet">
        {actions.trouble !== null && (
          <TroubleNotice trouble={actions.trouble}>
            <button type="button" class="button" onClick={actions.list}>
              {worktrees === undefined ? "Try again" : "Look again"}
            </button>
          </TroubleNotice>
        )}
        {worktrees === undefined && actions.trouble === null && <Loading />}
        {worktrees !== undefined && shown.length === 0 && <Nobody shell={shell} projectId={projectId} />}
        {shown.length > 0 && <WorktreeTable shell={shell} worktrees={shown} actions={actions} />}
        {removed.length > 0 && <Quarantine shell={shell} worktrees={removed} actions={actions} />}
        <Consents shell={shell} projectId={projectId} isConnected={isConnected} />
      </div>
    </PageFrame>
  );
}

function Loading() {
  return (
    <div class="table-card worktrees-loading" role="status" aria-label="Loading worktrees">
      <i class="skeleton half" />
      <i class="skeleton long" />
      <i class="skeleton half" />
    </div>
  );
}

function Nobody({ shell, projectId }: { shell: Shell; projectId: ProjectId }) {
  return (
    <div class="empty">
      <Icon name="branch" />
      <h2>No worktrees</h2>
      <p>A session in its own worktree has its own files and branch, so several agents can work at the same time.</p>
      <div class="actions">
        <button type="button" class="button primary" onClick={() => askForSession(shell, projectId)}>
          New session
        </button>
      </div>
    </div>
  );
}

/** Unknown figures are omitted. */
function Figures({ shell, shown }: { shell: Shell; shown: readonly Worktree[] }) {
  const bytes = shown.reduce((sum, { facts }) => sum + (facts.sizeBytes ?? 0), 0);
  // Two worktrees that overlap both show it.
  const pairs = shown.flatMap(({ worktreeId, radar, status }) =>
    (status === "ready" ? radar.overlaps : []).map((overlap) =>
      [worktreeId, overlap.with?.worktreeId ?? ""].toSorted().join(" "),
    ),
  );
  const overlaps = new Set(pairs).size;
  const oldest = shown.flatMap(({ facts }) => facts.lookedAt ?? []).toSorted()[0];
  return (
    <div class="figures">
      <span>
        <b>{shown.length}</b> {shown.length === 1 ? "worktree" : "worktrees"}
      </span>
      {bytes > 0 && <span>{memoryWords(bytes)}</span>}
      {overlaps > 0 && (
        <span>
          <Icon name="alert" class="icon-sm" />
          <b>{overlaps}</b> {overlaps === 1 ? "overlap" : "overlaps"}
        </span>
      )}
      {oldest !== undefined && (
        <span class="faint" title={exactTime(oldest)}>
          looked at {ageWords(oldest, shell.nowMs.value)}
        </span>
      )}
    </div>
  );
}

interface Actions {
  readonly trouble: Trouble | null;
  /** The running actions, by worktree. */
  readonly busy: ReadonlyMap<WorktreeId, string>;
  readonly list: () => void;
  readonly run: (worktree: Worktree, type: "worktree:return" | "worktree:repair" | "worktree:remove") => void;
  readonly setUp: (worktree: Worktree) => void;
  readonly ask: (worktree: Worktree, task: WorktreeTask["task"]) => void;
}

const BUSY_WORDS = {
  "worktree:return": "Returning…",
  "worktree:repair": "Repairing…",
  "worktree:remove": "Removing…",
  "worktree:setup": "Starting…",
} as const;

/** Requests about one worktree at a time; the list that follows shows the result. */
function useActions(shell: Shell, projectId: ProjectId): Actions {
  const [trouble, setTrouble] = useState<Trouble | null>(null);
  const [busy, setBusy] = useState<ReadonlyMap<WorktreeId, string>>(new Map());
  const notify = (_words: string, why: Trouble) => setTrouble(why);
  const attempt = async (
    { worktreeId }: Worktree,
    request: Parameters<Shell["attempt"]>[0] & { type: keyof typeof BUSY_WORDS },
  ) => {
    if (busy.has(worktreeId)) return;
    setTrouble(null);
    setBusy((before) => new Map(before).set(worktreeId, BUSY_WORDS[request.type]));
    await shell.attempt(request, notify);
    setBusy((before) => new Map([...before].filter(([id]) => id !== worktreeId)));
  };
  return {
    trouble,
    busy,
    list: () => {
      setTrouble(null);
      void shell.attempt({ type: "worktree:list", projectId }, notify);
    },
    run: (worktree, type) => void attempt(worktree, { type, worktreeId: worktree.worktreeId }),
    setUp: (worktree) => {
      const { hash } = worktree.setup;
      if (hash !== undefined) void attempt(worktree, { type: "worktree:setup", worktreeId: worktree.worktreeId, hash });
    },
    ask: ({ worktreeId }, task) => {
      shell.dialog.value = { kind: "worktree", task, projectId, worktreeId };
    },
  };
}

interface WorktreesProps {
  readonly shell: Shell;
  readonly worktrees: readonly Worktree[];
  readonly actions: Actions;
}

function WorktreeTable({ shell, worktrees, actions }: WorktreesProps) {
  return (
    <div class="table-card">
      <table class="data" aria-label="Worktrees">
        <thead>
          <tr>
            <th scope="col">
              <span class="visually-hidden">State</span>
            </th>
            <th scope="col">Branch and who works there</th>
            <th scope="col">Uncommitted</th>
            <th scope="col" class="num">
              Unpushed
            </th>
            <th scope="col">Merged</th>
            <th scope="col" class="num">
              Size
            </th>
            <th scope="col" class="num">
              Last use
            </th>
            <th scope="col">
              <span class="visually-hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {worktrees.map((worktree) => (
            <WorktreeRow key={worktree.worktreeId} shell={shell} worktree={worktree} actions={actions} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface WorktreeProps {
  readonly shell: Shell;
  readonly worktree: Worktree;
  readonly actions: Actions;
}

function WorktreeRow({ shell, worktree, actions }: WorktreeProps) {
  const { name, path, branch, base, isOurs, facts, lastUsedAt, radar } = worktree;
  const { mark, words } = stateOf(shell, worktree);
  const overlap = worktree.status === "ready" ? overlapWords(worktree) : "";
  const merged = isIn(worktree);
  const noRemote = facts.hasRemote === false ? "no remote" : undefined;
  return (
    <tr>
      <td class="state">
        <Mark state={mark} />
        <span class="visually-hidden">{words}</span>
      </td>
      <th scope="row">
        <span class="two">
          <span class="b">
            <Icon name="branch" class="icon-sm" />
            <span class="mono name truncate" title={path}>
              {visibleOneLine(name)}
            </span>
            <span class="faint from truncate" title={branch ?? undefined}>
              {fromWords(name, branch, base)}
            </span>
            {overlap !== "" && (
              <span class="tag warn" title={overlapDetails(worktree)}>
                <Icon name="alert" class="icon-sm" />
                <span class="truncate">{overlap}</span>
              </span>
            )}
            {isOurs && radar.state === "unknown" && worktree.status === "ready" && (
              <span class="tag">overlaps not looked at</span>
            )}
            <StatusTag worktree={worktree} />
          </span>
          <Workers shell={shell} worktree={worktree} />
          {worktree.problem !== undefined && <span class="problem">{worktree.problem}</span>}
          <SetupLine worktree={worktree} actions={actions} />
        </span>
      </th>
      <Fact label="Uncommitted" value={facts.uncommittedFiles} none="clean" unknown="not looked at">
        {filesWords(facts.uncommittedFiles ?? 0)}
      </Fact>
      <Fact label="Unpushed" value={facts.unpushedCommits} none="–" unknown={noRemote} isNumber>
        {facts.unpushedCommits?.toLocaleString("en")}
      </Fact>
      <Fact label="Merged" value={merged === null ? null : Number(merged)} none="not yet">
        <span class="yes">
          <Icon name="check" class="icon-sm" />
          {base === null ? "yes" : <span class="truncate">into {base}</span>}
        </span>
      </Fact>
      <Fact label="Size" value={facts.sizeBytes} none="–" isNumber>
        {memoryWords(facts.sizeBytes ?? 0)}
      </Fact>
      <td class="num faint" data-label="Last use">
        {lastUsedAt !== null && (
          <time dateTime={lastUsedAt} title={exactTime(lastUsedAt)}>
            {relativeAge(lastUsedAt, shell.nowMs.value)}
          </time>
        )}
      </td>
      <td class="act">{isOurs && <RowActions shell={shell} worktree={worktree} actions={actions} />}</td>
    </tr>
  );
}

/** The base has all of its work, as the same commits or as others. */
function isIn({ facts }: Pick<Worktree, "facts">): boolean | null {
  const { isMerged, isContained, uncommittedFiles } = facts;
  if (isMerged === null || uncommittedFiles === null) return null;
  return uncommittedFiles === 0 && (isMerged || isContained === true);
}

function fromWords(name: string, branch: string | null, base: string | null): string {
  const on = branch === null ? "no branch" : branch === name ? "" : branch;
  return [on, base === null ? "" : `from ${base}`].filter((part) => part !== "").join(" ");
}

interface FactProps {
  readonly label: string;
  /** Null: not looked at, which is not the same as nothing. */
  readonly value: number | null;
  readonly none: string;
  readonly unknown?: string | undefined;
  readonly isNumber?: boolean;
  readonly children: ComponentChildren;
}

function Fact({ label, value, none, unknown, isNumber = false, children }: FactProps) {
  const quiet = value === null || value === 0 ? "faint" : "";
  return (
    <td class={`${isNumber ? "num " : ""}${quiet}`} data-label={label}>
      {value === null && unknown !== undefined ? (
        unknown
      ) : value === null ? (
        <span title="Not looked at yet">
          <span aria-hidden="true">?</span>
          <span class="visually-hidden">not looked at</span>
        </span>
      ) : value === 0 ? (
        none === "–" ? (
          <>
            <span aria-hidden="true">–</span>
            <span class="visually-hidden">none</span>
          </>
        ) : (
          none
        )
      ) : (
        children
      )}
    </td>
  );
}

const RANKED: readonly SessionMark[] = ["waiting", "failed", "stalled", "working", "paused", "unread", "none"];

/** Its own trouble first, then what its sessions need. */
function stateOf(shell: Shell, { status, sessionIds }: Worktree): { mark: SessionMark; words: string } {
  if (status === "making") return { mark: "working", words: "being made" };
  if (status === "missing") return { mark: "failed", words: "directory is missing" };
  if (status === "stuck") return { mark: "failed", words: "needs repair" };
  const { sessions } = shell.server.value;
  const marks = new Set(sessionIds.map((id) => sessions.get(id)).flatMap((row) => (row ? sessionMark(row) : [])));
  const mark = RANKED.find((one) => marks.has(one)) ?? "none";
  return { mark, words: MARK_WORDS[mark] };
}

function StatusTag({ worktree: { status } }: { worktree: Worktree }) {
  if (status === "making") return <span class="tag info">being made</span>;
  if (status === "missing") return <span class="tag error">directory is missing</span>;
  return status === "stuck" ? <span class="tag error">needs repair</span> : null;
}

const WORKERS_SHOWN = 3;

function Workers({ shell, worktree: { sessionIds, isOurs } }: { shell: Shell; worktree: Worktree }) {
  const { sessions } = shell.server.value;
  const rows = sessionIds.flatMap((id) => sessions.get(id) ?? []);
  if (rows.length === 0)
    return <span class="who faint">{isOurs ? "Nobody" : "Made outside Liminal Builder, kept as it is"}</span>;
  return (
    <span class="who">
      {rows.slice(0, WORKERS_SHOWN).map(({ id, cliType, title }) => (
        <button
          key={id}
          type="button"
          class="worker"
          aria-label={`Open ${title}, ${agentOf(shell.server.value, cliType)?.name ?? cliType}`}
          title={title}
          onClick={() => shell.open(id, { focus: true })}
        >
          <Icon name={agentIconName(cliType)} class="icon-sm agent" />
          <span class="truncate">{title}</span>
        </button>
      ))}
      {rows.length > WORKERS_SHOWN && <span class="faint">{rows.length - WORKERS_SHOWN} more</span>}
    </span>
  );
}

/** The command that prepares the worktree runs after the user has seen it. */
function SetupLine({ worktree, actions }: { worktree: Worktree; actions: Actions }) {
  const { state, command, exitCode } = worktree.setup;
  if (command === undefined || state === "none" || state === "done") return null;
  const words = { asks: "Setup did not run:", running: "Setup is running:", failed: "Setup failed:" }[state];
  return (
    <span class="setup" data-state={state}>
      {words} <code class="mono">{command}</code>
      {state === "failed" && typeof exitCode === "number" && <span>(exit {exitCode})</span>}
      {state !== "running" && worktree.setup.hash !== undefined && (
        <button
          type="button"
          class="button small"
          aria-label={`${state === "asks" ? "Run setup" : "Run again: setup"} of ${worktree.name}`}
          onClick={() => actions.setUp(worktree)}
        >
          {state === "asks" ? "Run setup" : "Run again"}
        </button>
      )}
    </span>
  );
}

/** The likeliest action as a button, all of them in a menu. */
function RowActions({ shell, worktree, actions }: WorktreeProps) {
  const { name, status, worktreeId } = worktree;
  const busy = actions.busy.get(worktreeId);
  if (busy !== undefined)
    return (
      <span class="faint" role="status">
        {busy}
      </span>
    );
  if (status === "making") return null;
  if (status === "missing")
    return (
      <button
        type="button"
        class="button small"
        aria-label={`Forget ${name}…`}
        onClick={() => actions.ask(worktree, "purge")}
      >
        Forget…
      </button>
    );
  if (status === "stuck")
    return (
      <button
        type="button"
        class="button small"
        aria-label={`Repair ${name}`}
        onClick={() => actions.run(worktree, "worktree:repair")}
      >
        Repair
      </button>
    );
  const isDone = isIn(worktree) === true;
  return (
    <>
      {isDone ? (
        <button
          type="button"
          class="button small"
          aria-label={`Remove ${name}`}
          onClick={() => removeOrAsk(worktree, actions)}
        >
          Remove
        </button>
      ) : (
        <button
          type="button"
          class="button small"
          aria-label={`Merge ${name}…`}
          onClick={() => actions.ask(worktree, "merge")}
        >
          Merge…
        </button>
      )}
      <MoreActions shell={shell} worktree={worktree} actions={actions} />
    </>
  );
}

/** Removing is not deleting: it asks only if work or sessions would be affected. */
function removeOrAsk(worktree: Worktree, actions: Actions): void {
  if (worktree.sessionIds.length > 0) actions.ask(worktree, "remove");
  else actions.run(worktree, "worktree:remove");
}

interface MenuAction {
  readonly words: string;
  readonly icon: IconName;
  readonly act: () => void;
}

function MoreActions({ shell, worktree, actions }: WorktreeProps) {
  const { name, worktreeId, projectId } = worktree;
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const menu = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (!isOpen || menu.current === null || button.current === null) return;
    menu.current.showPopover();
    placeBeside(menu.current, button.current);
    menu.current.querySelector<HTMLElement>("[role=menuitem]")?.focus();
  }, [isOpen]);
  const items: readonly MenuAction[] = [
    { words: "Merge…", icon: "branch", act: () => actions.ask(worktree, "merge") },
    { words: "Push and pull request…", icon: "send", act: () => actions.ask(worktree, "publish") },
    {
      words: "New session here",
      icon: "plus",
      act: () => {
        const place = { worktree: { worktreeId }, name };
        shell.dialog.value = { kind: "new-session", projectId, place };
      },
    },
    { words: "Remove", icon: "archive", act: () => removeOrAsk(worktree, actions) },
  ];
  return (
    <>
      <button
        type="button"
        ref={button}
        class="icon-button small"
        aria-label={`More actions for ${name}`}
        aria-haspopup="menu"
        title="More actions"
        onClick={() => setOpen(true)}
      >
        <Icon name="more" class="icon-sm" />
      </button>
      {isOpen && (
        <div
          ref={menu}
          class="menu row-menu"
          role="menu"
          popover="auto"
          aria-label={`Actions for ${name}`}
          onToggle={(event) => {
            if (event.newState !== "closed") return;
            if (menu.current?.contains(document.activeElement)) button.current?.focus();
            setOpen(false);
          }}
          onKeyDown={(event) => {
            if (event.key === "Escape") event.stopPropagation();
            if (event.key === "Tab") menu.current?.hidePopover();
            else if (moveFocus(event.currentTarget, event.key)) event.preventDefault();
          }}
        >
          {items.map(({ words, icon, act }) => (
            <button
              key={words}
              type="button"
              role="menuitem"
              class="menu-item"
              tabIndex={-1}
              onClick={() => {
                button.current?.focus();
                menu.current?.hidePopover();
                act();
              }}
            >
              <Icon name={icon} class="icon-sm" />
              {words}
            </button>
          ))}
        </div>
      )}
    </>
  );
}

function Quarantine({ shell, worktrees, actions }: WorktreesProps) {
  const bytes = worktrees.reduce((sum, { facts }) => sum + (facts.sizeBytes ?? 0), 0);
  return (
    <section aria-labelledby="quarantine">
      <div class="section-head">
        <h2 id="quarantine">Quarantine</h2>
        <span class="n">
          {worktrees.length}
          {bytes > 0 && ` · ${memoryWords(bytes)}`}
        </span>
        <span class="end">Removed here, still on disk. Work that exists nowhere else is never deleted by itself.</span>
      </div>
      <ul class="card-list">
        {worktrees.map((worktree) => (
          <RemovedRow key={worktree.worktreeId} shell={shell} worktree={worktree} actions={actions} />
        ))}
      </ul>
    </section>
  );
}

interface ConsentsProps {
  readonly shell: Shell;
  readonly projectId: ProjectId;
  readonly isConnected: boolean;
}

/** Commands of `liminal.json` that run without a question. Nothing is shown as long as there are none. */
function Consents({ shell, projectId, isConnected }: ConsentsProps) {
  const [consents, setConsents] = useState<readonly CommandConsent[]>([]);
  const heading = useRef<HTMLHeadingElement>(null);
  const ask = async (...request: Parameters<Shell["attempt"]>) => {
    const answer = await shell.attempt(...request);
    if (answer?.type === "service:consents") setConsents(answer.consents);
  };
  useEffect(() => {
    // The list of worktrees, which is requested separately, shows errors.
    if (isConnected) void ask({ type: "service:consents", projectId }, () => undefined);
  }, [isConnected, projectId]);
  if (consents.length === 0) return null;
  return (
    <section aria-labelledby="consents">
      <div class="section-head">
        <h2 id="consents" ref={heading} tabIndex={-1}>
          Agreed commands
        </h2>
        <span class="n">{consents.length}</span>
        <span class="end">From liminal.json. They run without asking until their text changes.</span>
      </div>
      <ul class="card-list">
        {consents.map(({ hash, kind, command, at }) => {
          const use = visibleOneLine(kind.replace(/^service:/, "service "));
          return (
            <li key={hash} class="q-row">
              <Icon name="bolt" class="icon-sm" />
              <span>{use}</span>
              <code class="mono name truncate" title={command}>
                {visibleOneLine(command)}
              </code>
              <span class="end">
                <time dateTime={at} title={exactTime(at)}>
                  agreed {ageWords(at, shell.nowMs.value)}
                </time>
                <button
                  type="button"
                  class="button small"
                  aria-label={`Revoke ${use}`}
                  onClick={() => {
                    heading.current?.focus();
                    void ask({ type: "service:revoke", projectId, hash });
                  }}
                >
                  Revoke
                </button>
              </span>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

function RemovedRow({ shell, worktree, actions }: WorktreeProps) {
  const { name, path, facts, removedAt, problem, worktreeId } = worktree;
  const busy = actions.busy.get(worktreeId);
  const holds = heldWords(worktree);
  return (
    <li class="q-row">
      <Icon name="archive" class="icon-sm" />
      <span class="mono name truncate" title={path}>
        {visibleOneLine(name)}
      </span>
      <span class="muted truncate" title={problem ?? holds}>
        {problem ?? holds}
      </span>
      <span class="end">
        {facts.sizeBytes !== null && <span>{memoryWords(facts.sizeBytes)}</span>}
        {removedAt !== undefined && (
          <time dateTime={removedAt} title={exactTime(removedAt)}>
            removed {ageWords(removedAt, shell.nowMs.value)}
          </time>
        )}
        {busy === undefined ? (
          <>
            <button
              type="button"
              class="button small"
              aria-label={`Return ${name}`}
              onClick={() => actions.run(worktree, "worktree:return")}
            >
              Return
            </button>
            <button
              type="button"
              class="button small ghost danger"
              aria-label={`Delete permanently… ${name}`}
              onClick={() => actions.ask(worktree, "purge")}
            >
              Delete permanently…
            </button>
          </>
        ) : (
          <span role="status">{busy}</span>
        )}
      </span>
    </li>
  );
}

/** Work that exists only there: "1 unpushed commit, 4 uncommitted files, 3 ignored files". */
export function heldParts({ facts }: Pick<Worktree, "facts">): readonly string[] {
  const { hasRemote, unpushedCommits, aheadCommits, uncommittedFiles, ignoredFiles } = facts;
  // Where nothing can be pushed, those count that are not merged.
  const [count, kind] = hasRemote === false ? [aheadCommits, "unmerged"] : [unpushedCommits, "unpushed"];
  const commits = count === 1 ? `1 ${kind} commit` : `${count?.toLocaleString("en")} ${kind} commits`;
  return [
    ...(count === null || count === 0 ? [] : [commits]),
    ...(uncommittedFiles === null || uncommittedFiles === 0
      ? []
      : [filesWords(uncommittedFiles).replace(/file/, "uncommitted file")]),
    ...(ignoredFiles === null || ignoredFiles === 0 ? [] : [filesWords(ignoredFiles).replace(/file/, "ignored file")]),
  ];
}

/** Something about it was not checked, so its content is not fully known. */
export function isUnknown({ facts }: Pick<Worktree, "facts">): boolean {
  const { hasRemote, unpushedCommits, aheadCommits, uncommittedFiles, ignoredFiles } = facts;
  return [hasRemote === false ? aheadCommits : unpushedCommits, uncommittedFiles, ignoredFiles].includes(null);
}

function heldWords(worktree: Worktree): string {
  const parts = heldParts(worktree);
  if (parts.length > 0) return parts.join(", ");
  return isUnknown(worktree) ? "Not looked at yet" : "Nothing of its own";
}

/** Sessions that work in a worktree, archived ones excluded. */
export function sessionsIn(shell: Shell, worktreeId: WorktreeId): readonly SessionId[] {
  return [...shell.server.value.sessions.values()].flatMap(({ id, worktree }) =>
    worktree?.worktreeId === worktreeId ? [id] : [],
  );
}
