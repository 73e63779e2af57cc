import { useEffect, useState } from "preact/hooks";
import { visibleOneLine } from "../../lib/visible-text.ts";
import type { ProjectId } from "../../protocol/ids.ts";
import { MODE_WORDS } from "../../protocol/rule-words.ts";
import type { RunState, Schedule, ScheduleRun } from "../../protocol/schedules.ts";
import { Icon } from "../../ui/icons/icon.tsx";
import { exactTime } from "../../ui/words/time-words.ts";
import { TroubleNotice } from "../controls/trouble-notice.tsx";
import { PageFrame } from "../pages/page-frame.tsx";
import type { Shell } from "../state/shell.ts";
import { agentOf, rowOf } from "../state/shell-state.ts";
import type { Trouble } from "../state/trouble.ts";
import { cadenceWords, dueTime } from "./repeat.ts";

const STATE_WORDS: Readonly<Record<RunState, string>> = {
  starting: "Starting",
  running: "Running",
  done: "Done",
  failed: "Failed",
  limited: "Usage limit",
  cancelled: "Stopped",
  refused: "Not started",
  skipped: "Skipped",
};

/** The schedules of a project: when each is due, the results of its runs, and its actions. */
export function SchedulesPage({ shell, projectId }: { shell: Shell; projectId: ProjectId }) {
  const [trouble, setTrouble] = useState<Trouble | null>(null);
  const state = shell.server.value;
  const project = state.projects.find(({ id }) => id === projectId);
  const schedules = state.schedules.get(projectId);
  const isConnected = shell.phase.value.phase === "open";
  const ask: Ask = async (request) => {
    setTrouble(null);
    await shell.attempt(request, (_, why) => setTrouble(why));
  };
  const list = () => void ask({ type: "schedule:list", projectId });
  useEffect(() => {
    if (isConnected) list();
  }, [isConnected]);
  const add = () => {
    shell.dialog.value = { kind: "schedule", projectId };
  };
  return (
    <PageFrame
      shell={shell}
      name="schedules-page"
      title="Schedules"
      head={
        <>
          <span class="muted truncate">{project?.name}</span>
          {schedules !== undefined && schedules.length > 0 && (
            <button type="button" class="button primary schedule-add" onClick={add}>
              <Icon name="plus" class="icon-sm" />
              New schedule
            </button>
          )}
        </>
      }
    >
      <div class="sheet">
        {trouble !== null && (
          <TroubleNotice trouble={trouble}>
            <button type="button" class="button" onClick={list}>
              Look again
            </button>
          </TroubleNotice>
        )}
        {schedules === undefined && trouble === null && (
          <div class="table-card worktrees-loading" role="status" aria-label="Loading schedules">
            <i class="skeleton half" />
            <i class="skeleton long" />
          </div>
        )}
        {schedules?.length === 0 && (
          <div class="empty">
            <Icon name="clock" />
            <h2>No schedules</h2>
            <p>A schedule sends a prompt at set times, for example every weekday morning, while the server runs.</p>
            <div class="actions">
              <button type="button" class="button primary" onClick={add}>
                New schedule
              </button>
            </div>
          </div>
        )}
        {schedules !== undefined && schedules.length > 0 && (
          <ul class="schedules" aria-label="Schedules">
            {schedules.map((schedule) => (
              <ScheduleCard key={schedule.id} shell={shell} schedule={schedule} ask={ask} />
            ))}
          </ul>
        )}
      </div>
    </PageFrame>
  );
}

type Ask = (request: Parameters<Shell["attempt"]>[0]) => Promise<void>;

interface CardProps {
  readonly shell: Shell;
  readonly schedule: Schedule;
  readonly ask: Ask;
}

function ScheduleCard({ shell, schedule, ask }: CardProps) {
  const { id: scheduleId, projectId, name, cadence, enabled, nextDueAt, lastRun } = schedule;
  const [opened, setOpened] = useState<"history" | "remove" | null>(null);
  const toggle = (what: "history" | "remove") => setOpened(opened === what ? null : what);
  // One that waits for a usage limit does not keep the next from starting.
  const isOpen = lastRun !== undefined && lastRun.endedAt === undefined && lastRun.state !== "limited";
  return (
    <li class="schedule" data-enabled={enabled}>
      <div class="schedule-head">
        <h2 class="truncate">{visibleOneLine(name)}</h2>
        <label class="schedule-enabled">
          <input
            type="checkbox"
            checked={enabled}
            aria-label={`Enable ${name}`}
            onChange={({ currentTarget }) => {
              const wanted = currentTarget.checked;
              // The server's message is shown, also for a refusal.
              currentTarget.checked = enabled;
              void ask({ type: "schedule:enable", scheduleId, enabled: wanted });
            }}
          />
          {enabled ? "Enabled" : "Disabled"}
        </label>
      </div>
      <p class="schedule-prompt truncate">{visibleOneLine(schedule.prompt)}</p>
      <dl class="schedule-facts">
        <div>
          <dt>When</dt>
          <dd>{cadenceWords(cadence)}</dd>
        </div>
        <div>
          <dt>Next</dt>
          <dd>
            {nextDueAt === undefined ? (
              enabled ? (
                "Not due again"
              ) : (
                "–"
              )
            ) : (
              <time dateTime={nextDueAt} title={exactTime(nextDueAt)}>
                {dueTime(nextDueAt)}
              </time>
            )}
          </dd>
        </div>
        <div>
          <dt>Where</dt>
          <dd>
            <TargetWords shell={shell} schedule={schedule} />
          </dd>
        </div>
        <div>
          <dt>Last run</dt>
          <dd>{lastRun === undefined ? "–" : <RunWords shell={shell} run={lastRun} />}</dd>
        </div>
      </dl>
      <div class="row">
        <button
          type="button"
          class="button small"
          aria-label={isOpen ? `Running… ${name}` : `Run now: ${name}`}
          disabled={isOpen}
          onClick={() => void ask({ type: "schedule:run", scheduleId })}
        >
          {isOpen ? "Running…" : "Run now"}
        </button>
        <button
          type="button"
          class="button small"
          aria-label={`History of ${name}`}
          aria-expanded={opened === "history"}
          onClick={() => toggle("history")}
        >
          History
        </button>
        <button
          type="button"
          class="button small"
          aria-label={`Edit ${name}…`}
          onClick={() => {
            shell.dialog.value = { kind: "schedule", projectId, scheduleId };
          }}
        >
          Edit…
        </button>
        <button
          type="button"
          class="button small ghost"
          aria-label={`Remove ${name}…`}
          aria-expanded={opened === "remove"}
          onClick={() => toggle("remove")}
        >
          Remove…
        </button>
      </div>
      {opened === "remove" && (
        // biome-ignore lint/a11y/useSemanticElements: no fields here, a question with two answers
        <section class="schedule-question" role="group" aria-label={`Remove ${name}`}>
          <p>Remove this schedule and its history? Its sessions are kept.</p>
          <div class="row">
            <button type="button" class="button" onClick={() => setOpened(null)}>
              Keep it
            </button>
            <button
              type="button"
              class="button danger"
              onClick={() => void ask({ type: "schedule:remove", scheduleId })}
            >
              Remove schedule
            </button>
          </div>
        </section>
      )}
      {opened === "history" && <History shell={shell} schedule={schedule} />}
    </li>
  );
}

function TargetWords({ shell, schedule: { target } }: { shell: Shell; schedule: Schedule }) {
  const state = shell.server.value;
  if (target.kind === "session") {
    const row = rowOf(state, target.sessionId);
    return <>{row === undefined ? "A session that is gone" : `“${visibleOneLine(row.title)}”`}</>;
  }
  const agent = agentOf(state, target.cliType)?.name ?? target.cliType;
  const more = [
    ...(target.worktree ? ["in a worktree"] : []),
    ...(target.policy ? [MODE_WORDS[target.policy].toLowerCase()] : []),
  ];
  return <>{[`New session with ${agent}`, ...more].join(", ")}</>;
}

/** The result of a run, with a link to its session. */
function RunWords({ shell, run }: { shell: Shell; run: ScheduleRun }) {
  const { state, dueAt, sessionId, detail, endedAt } = run;
  const isWaiting = state === "limited" && endedAt === undefined;
  const isThere = sessionId !== undefined && rowOf(shell.server.value, sessionId) !== undefined;
  return (
    <span class="run">
      <span class="run-state" data-state={isWaiting ? "waiting" : state}>
        {isWaiting ? "Waiting for a usage limit" : STATE_WORDS[state]}
      </span>
      <time dateTime={dueAt} title={exactTime(dueAt)}>
        {dueTime(dueAt)}
      </time>
      {isThere && (
        <button
          type="button"
          class="link-button"
          aria-label={`Open session of ${dueTime(dueAt)}`}
          onClick={() => shell.open(sessionId, { focus: true })}
        >
          Open session
        </button>
      )}
      {detail !== undefined && <span class="run-detail">{visibleOneLine(detail)}</span>}
    </span>
  );
}

function History({ shell, schedule }: { shell: Shell; schedule: Schedule }) {
  const { id: scheduleId, name, lastRun } = schedule;
  const [runs, setRuns] = useState<readonly ScheduleRun[] | null>(null);
  const [problem, setProblem] = useState("");
  // The list of schedules comes with every change of a run.
  useEffect(() => {
    let isShown = true;
    void shell.attempt({ type: "schedule:runs", scheduleId }, setProblem).then((answer) => {
      if (isShown && answer?.type === "schedule:runs") setRuns(answer.runs);
    });
    return () => {
      isShown = false;
    };
  }, [lastRun]);
  if (problem !== "")
    return (
      <p class="error-text" role="alert">
        {problem}
      </p>
    );
  if (runs?.length === 0) return <p class="muted">No runs yet.</p>;
  return (
    <ul class="runs" aria-label={`Runs of ${name}`}>
      {runs?.map((run) => (
        <li key={run.dueAt}>
          <RunWords shell={shell} run={run} />
        </li>
      ))}
    </ul>
  );
}
