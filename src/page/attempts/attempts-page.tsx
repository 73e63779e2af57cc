import { useEffect, useRef, useState } from "preact/hooks";
import { visibleOneLine } from "../../lib/visible-text.ts";
import { filesWords, lineSides } from "../../presentation/changes-words.ts";
import type { AttemptGroupId } from "../../protocol/attempt-ref.ts";
import type { AttemptResult } from "../../protocol/attempts.ts";
import type { ChangesScope } from "../../protocol/changes.ts";
import type { ProjectId } from "../../protocol/ids.ts";
import { isTurnActive, type SessionRow } from "../../protocol/session-schema.ts";
import { Icon } from "../../ui/icons/icon.tsx";
import { agentIconName } from "../../ui/icons/icon-shapes.ts";
import { costWords } from "../../ui/words/cost-words.ts";
import { elapsedWords } from "../../ui/words/time-words.ts";
import { Mark } from "../controls/mark.tsx";
import { TroubleNotice } from "../controls/trouble-notice.tsx";
import { PageFrame } from "../pages/page-frame.tsx";
import { MARK_WORDS, sessionMark } from "../state/session-mark.ts";
import type { Shell } from "../state/shell.ts";
import { agentOf } from "../state/shell-state.ts";
import type { Trouble } from "../state/trouble.ts";
import { AttemptChanges } from "./attempt-changes.tsx";
import { usualFile } from "./shown-file.ts";

interface AttemptsPageProps {
  readonly shell: Shell;
  readonly projectId: ProjectId;
  readonly groupId: AttemptGroupId;
}

/** Several attempts at one task, side by side. The number keys choose one, Enter keeps it. */
export function AttemptsPage({ shell, projectId, groupId }: AttemptsPageProps) {
  const rows = attemptRows(shell, groupId);
  const { results, trouble, look } = useResults(shell, projectId, groupId, rows);
  const [chosen, setChosen] = useState(0);
  const at = Math.min(chosen, Math.max(0, rows.length - 1));
  /** The file that all cards show, once the user has chosen one. */
  const [file, setFile] = useState<string | null>(null);
  const shownFile = file ?? usualFile([...results.values()]);
  const keep = (row: SessionRow | undefined) => {
    if (row === undefined || isTurnActive(row.turn)) return;
    shell.dialog.value = { kind: "keep-attempt", sessionId: row.id, into: results.get(row.id)?.into ?? null };
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    const isOnControl = event.target instanceof Element && event.target.closest("button, a, input, textarea") !== null;
    if (event.key === "Enter" && !isOnControl) keep(rows[at]);
    else if (/^[1-9]$/.test(event.key) && Number(event.key) <= rows.length) setChosen(Number(event.key) - 1);
    else return;
    event.preventDefault();
  };
  const [first] = rows;
  return (
    <PageFrame
      shell={shell}
      name="attempts-page"
      title={`Best of ${rows.length}`}
      onKeyDown={onKeyDown}
      head={
        <>
          <span class="muted truncate">{first === undefined ? "" : visibleOneLine(first.title)}</span>
          <Together rows={rows} />
        </>
      }
    >
      <div class="sheet">
        {trouble !== null && (
          <TroubleNotice trouble={trouble}>
            <button type="button" class="button" onClick={look}>
              Try again
            </button>
          </TroubleNotice>
        )}
        {rows.length === 0 ? (
          <div class="empty">
            <Icon name="columns" />
            <h2>No attempts are left here</h2>
            <p>They were archived or deleted. Archived ones are listed under their project.</p>
          </div>
        ) : (
          <ol class="attempts" aria-label="Attempts">
            {rows.map((row, index) => (
              <AttemptCard
                key={row.id}
                shell={shell}
                row={row}
                result={results.get(row.id) ?? null}
                isChosen={index === at}
                file={shownFile}
                onFile={setFile}
                onChoose={() => setChosen(index)}
                onKeep={() => keep(row)}
              />
            ))}
          </ol>
        )}
        {rows.length > 0 && (
          <p class="attempts-note">
            <Icon name="info" class="icon-sm" />
            Keep this commits and merges the attempt after asking. The others are archived; their worktrees go to
            quarantine, where you can return them.
          </p>
        )}
      </div>
    </PageFrame>
  );
}

/** By number, without archived ones. */
export function attemptRows(shell: Shell, groupId: AttemptGroupId): readonly SessionRow[] {
  return [...shell.server.value.sessions.values()]
    .filter(({ attempt, archived }) => attempt?.groupId === groupId && !archived)
    .toSorted((one, other) => (one.attempt?.number ?? 0) - (other.attempt?.number ?? 0));
}

/** Checked when the page opens, and again whenever a turn of an attempt ends or its files change. */
function useResults(shell: Shell, projectId: ProjectId, groupId: AttemptGroupId, rows: readonly SessionRow[]) {
  const [results, setResults] = useState<ReadonlyMap<string, AttemptResult>>(new Map());
  const [trouble, setTrouble] = useState<Trouble | null>(null);
  const asked = useRef(0);
  const look = async () => {
    asked.current += 1;
    const own = asked.current;
    setTrouble(null);
    const answer = await shell.attempt({ type: "attempts:compare", projectId, groupId }, (_, why) => {
      if (own === asked.current) setTrouble(why);
    });
    if (own === asked.current && answer?.type === "attempts:compared")
      setResults(new Map(answer.results.map((result) => [result.sessionId, result])));
  };
  const isConnected = shell.phase.value.phase === "open";
  const state = JSON.stringify(rows.map(({ id, turn, changes }) => [id, turn.state, turn.turnId, changes]));
  useEffect(() => {
    if (isConnected) void look();
    return () => {
      asked.current += 1;
    };
  }, [isConnected, state]);
  return { results, trouble, look: () => void look() };
}

function Together({ rows }: { rows: readonly SessionRow[] }) {
  const costs = rows.flatMap(({ usage }) => usage?.cost ?? []);
  const [first] = costs;
  const isOneCurrency = costs.every(({ currency }) => currency === first?.currency);
  return (
    <div class="figures">
      {first !== undefined && isOneCurrency && (
        <span>
          <b>{costWords({ amount: costs.reduce((sum, { amount }) => sum + amount, 0), currency: first.currency })}</b>{" "}
          together
        </span>
      )}
      {rows.length > 1 && (
        <span class="faint wide-only" aria-hidden="true">
          <kbd>1</kbd> – <kbd>{rows.length}</kbd> choose
        </span>
      )}
    </div>
  );
}

interface AttemptCardProps {
  readonly shell: Shell;
  readonly row: SessionRow;
  readonly result: AttemptResult | null;
  readonly isChosen: boolean;
  /** The file that is compared. */
  readonly file: string | null;
  readonly onFile: (path: string) => void;
  readonly onChoose: () => void;
  readonly onKeep: () => void;
}

const FILES_SHOWN = 6;

function AttemptCard({ shell, row, result, isChosen, file, onFile, onChoose, onKeep }: AttemptCardProps) {
  const state = shell.server.value;
  const agent = agentOf(state, row.cliType)?.name ?? row.cliType;
  // A check that has not run yet is not worth a note here.
  const mark = sessionMark({ ...row, unread: false });
  const number = row.attempt?.number ?? 0;
  const isWorking = isTurnActive(row.turn);
  const words = MARK_WORDS[mark] || (row.turn.stopReason === undefined ? "not started" : "done");
  return (
    <li
      class="attempt"
      data-chosen={isChosen ? "" : undefined}
      aria-current={isChosen ? "true" : undefined}
      onFocusIn={onChoose}
    >
      <header>
        <span class="number" aria-hidden="true">
          {number}
        </span>
        <Icon name={agentIconName(row.cliType)} />
        <div class="who">
          <h2 class="truncate">
            <span class="visually-hidden">Attempt {number}: </span>
            {agent}
          </h2>
          {result?.model !== undefined && (
            <p class="truncate" title={result.model}>
              {visibleOneLine(result.model)}
            </p>
          )}
        </div>
        <span class="state">
          {words === "done" ? <Icon name="check" class="icon-sm" /> : <Mark state={mark} />}
          {words}
        </span>
      </header>
      <dl class="figures-row">
        <Figure name="Cost" value={row.usage?.cost ? costWords(row.usage.cost) : "–"} />
        <Figure name="Time" value={timeOf(row, shell.nowMs.value)} />
        <div>
          <dt>Changes</dt>
          <dd>
            {result === null ? (
              "…"
            ) : (
              <Lines
                added={result.added}
                removed={result.removed}
                otherwise={result.totalFiles === 0 ? "none" : filesWords(result.totalFiles)}
              />
            )}
          </dd>
        </div>
      </dl>
      {result !== null && result.lastLine !== "" && <p class="words">{visibleOneLine(result.lastLine)}</p>}
      {result?.problem !== undefined && <p class="words problem">{result.problem}</p>}
      {result !== null && <Files result={result} shown={file} onShow={onFile} />}
      {result !== null && result.totalFiles > 0 && file !== null && (
        <AttemptChanges shell={shell} row={row} result={result} path={file} />
      )}
      <footer>
        <button
          type="button"
          class={isChosen ? "button primary" : "button"}
          aria-disabled={isWorking ? "true" : undefined}
          aria-label={`Keep this: attempt ${number}`}
          title={isWorking ? "It is still working." : undefined}
          onClick={onKeep}
        >
          Keep this
        </button>
        {result !== null && result.totalFiles > 0 && (
          <button
            type="button"
            class="button ghost"
            aria-label={`Changes of attempt ${number}`}
            onClick={() => shell.openChanges(row.id, changesScope(row, result))}
          >
            Changes
          </button>
        )}
        <span class="spacer" />
        <button
          type="button"
          class="button ghost"
          aria-label={`Open attempt ${number}`}
          onClick={() => shell.open(row.id, { focus: true })}
        >
          Open
        </button>
      </footer>
    </li>
  );
}

/** When everything is committed there are no changes since the last commit: the changes of its last turn are shown. */
function changesScope({ turn: { turnId } }: SessionRow, { uncommittedFiles }: AttemptResult): ChangesScope | null {
  return uncommittedFiles > 0 || turnId === undefined ? null : { kind: "turn", turnId };
}

function Figure({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

/** How long its last turn took, or takes so far. */
function timeOf({ turn, lastActiveAt }: SessionRow, nowMs: number): string {
  if (turn.startedAt === undefined) return "–";
  const end = isTurnActive(turn) ? nowMs : Date.parse(lastActiveAt);
  return elapsedWords(Math.max(0, end - Date.parse(turn.startedAt)));
}

interface LinesProps {
  readonly added: number | null;
  readonly removed: number | null;
  /** The text for an attempt without changed lines. */
  readonly otherwise: string;
}

function Lines({ added, removed, otherwise }: LinesProps) {
  const sides = lineSides({ added, removed });
  if (sides.length === 0) return <span class="faint">{otherwise}</span>;
  return (
    <>
      {sides.map(({ kind, words }) => (
        <span key={kind} class={`stat-${kind}`}>
          {words}
        </span>
      ))}
    </>
  );
}

interface FilesProps {
  readonly result: AttemptResult;
  readonly shown: string | null;
  readonly onShow: (path: string) => void;
}

/** Each shows the file in all attempts. */
function Files({ result: { files, totalFiles }, shown, onShow }: FilesProps) {
  if (totalFiles === 0) return <p class="words faint">No files changed.</p>;
  const left = totalFiles - Math.min(files.length, FILES_SHOWN);
  return (
    <ul class="attempt-files" aria-label="Changed files">
      {files.slice(0, FILES_SHOWN).map(({ path, added, removed }) => {
        const words = visibleOneLine(path);
        const at = words.lastIndexOf("/") + 1;
        return (
          <li key={path}>
            <button
              type="button"
              title={`Compare ${words} in all attempts`}
              aria-pressed={path === shown}
              onClick={() => onShow(path)}
            >
              <span class="file-path">
                <span class="dir">{words.slice(0, at)}</span>
                <span class="base">{words.slice(at)}</span>
              </span>
              <span class="end">
                <Lines added={added} removed={removed} otherwise={added === null ? "binary" : "no lines"} />
              </span>
            </button>
          </li>
        );
      })}
      {left > 0 && <li class="faint">{filesWords(left).replace(/ /, " more ")}</li>}
    </ul>
  );
}
