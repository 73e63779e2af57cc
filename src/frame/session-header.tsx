import type { SessionPause } from "../protocol/conversations.ts";
import type { ArmedWait } from "../protocol/delegation.ts";
import { clockWords } from "../protocol/limit-words.ts";
import { canAt } from "../protocol/place-capabilities.ts";
import { placedName } from "../protocol/place-path.ts";
import type { AgentStatus } from "../protocol/session-messages.ts";
import type { Turn } from "../protocol/session-parts.ts";
import { Icon } from "../ui/icons/icon.tsx";
import { agentIconName } from "../ui/icons/icon-shapes.ts";
import { ariaKeys, withKey } from "../ui/keys/key-bindings.ts";
import { costWords } from "../ui/words/cost-words.ts";
import { elapsedWords } from "../ui/words/time-words.ts";
import { type PortletModel, usePiece } from "./portlet-model.ts";

/** Dialogs of the shell about a session. */
const DIALOGS = [
  { what: "permissions", name: "Permissions", icon: "shield" },
  { what: "export", name: "Export", icon: "download" },
  { what: "log", name: "Show log", icon: "terminal" },
] as const;

const ORIGIN_WORDS = {
  native: "The agent brought its own memory along.",
  primed: "The agent is told what was said before with the first message.",
} as const;

/** One line: directory, agent, and cost. */
export function SessionHeader({ model }: { model: PortletModel }) {
  const directory = usePiece(model, (state) => state.directory);
  const { name: projectName, place } = placedName({
    name: usePiece(model, (state) => state.projectName),
    path: directory,
  });
  const title = usePiece(model, (state) => state.session.title);
  const usage = usePiece(model, (state) => state.session.config.usage);
  const origin = usePiece(model, (state) => state.origin);
  const parentTitle = usePiece(model, (state) => state.parentTitle);
  const worktree = usePiece(model, (state) => state.session.worktree);
  const canHandBack =
    usePiece(model, (state) => state.canHandBack && state.session.away === null) && canAt(directory, "handback");
  const hasProcess = usePiece(model, ({ status }) => status === "connected" || status === "starting");
  return (
    <header class="session-head">
      <h1 class="visually-hidden">{title}</h1>
      <div class="crumbs">
        <Icon name="folder" class="icon-sm" />
        <span class="here truncate" title={projectName}>
          {projectName}
        </span>
        {place !== null && (
          <span class="head-place" title={directory}>
            <Icon name="server" class="icon-sm" />
            <span class="visually-hidden">at </span>
            <span class="truncate">{place}</span>
          </span>
        )}
        {worktree !== null && (
          <button
            type="button"
            class="head-worktree"
            title={`Worktree on ${worktree.branch}: show all worktrees`}
            aria-label={`Worktree ${worktree.name}: show all worktrees`}
            onClick={() => model.store.show("worktrees")}
          >
            <Icon name="branch" class="icon-sm" />
            <span class="truncate">{worktree.name}</span>
          </button>
        )}
        {origin !== null && (
          <button
            type="button"
            class="chip parent"
            title={`Branch of ${origin.title}. ${ORIGIN_WORDS[origin.how]}`}
            aria-label={`Branch from ${origin.title}: open it where this one left it`}
            onClick={() => model.store.openOrigin()}
          >
            <Icon name="fork" class="icon-sm" />
            <span class="truncate">from {origin.title}</span>
          </button>
        )}
        {parentTitle !== null && (
          <button
            type="button"
            class="chip parent"
            title={`Started by ${parentTitle}`}
            aria-label={`Open the session that started this one: ${parentTitle}`}
            onClick={() => model.store.openParent()}
          >
            <Icon name="tree" class="icon-sm" />
            <span class="truncate">{parentTitle}</span>
          </button>
        )}
      </div>
      <Others model={model} />
      <AgentState model={model} />
      <TurnClock model={model} />
      <div class="head-end">
        {usage?.cost !== undefined && usage.cost.amount > 0 && (
          <span class="tag plain cost" title="Cost of this session">
            {costWords(usage.cost)}
          </span>
        )}
        {canAt(directory, "changes") && <ChangesButton model={model} />}
        {canAt(directory, "files") && <PanelButton model={model} />}
        {canHandBack && (
          <button
            type="button"
            class="icon-button"
            aria-label="Continue in a terminal"
            title={withKey("Continue in a terminal", "handback")}
            aria-keyshortcuts={ariaKeys("handback")}
            onClick={() => model.store.show("handback")}
          >
            <Icon name="open" class="icon-sm" />
          </button>
        )}
        {hasProcess && (
          <button
            type="button"
            class="icon-button"
            aria-label="Kill agent"
            title="Kill: end the agent's process and the agents it started"
            onClick={() => model.store.show("kill")}
          >
            <Icon name="power" class="icon-sm" />
          </button>
        )}
        {DIALOGS.map(({ what, name, icon }) => (
          <button
            key={what}
            type="button"
            class="icon-button"
            aria-label={name}
            title={name}
            onClick={() => model.store.show(what)}
          >
            <Icon name={icon} class="icon-sm" />
          </button>
        ))}
      </div>
    </header>
  );
}

/** How much is to be reviewed; the view itself is also in the palette and has a key. */
function ChangesButton({ model }: { model: PortletModel }) {
  const counts = usePiece(model, (state) => state.session.changes);
  const isOpen = model.panel.view.value?.name === "changes";
  if (counts === null && !isOpen) return null;
  const { files, added, removed } = counts ?? { files: 0, added: 0, removed: 0 };
  const words = files === 1 ? "1 file" : `${files.toLocaleString("en")} files`;
  return (
    <button
      type="button"
      class="review"
      title={withKey("Changes", "changes")}
      aria-keyshortcuts={ariaKeys("changes")}
      aria-pressed={isOpen}
      onClick={() => model.panel.toggle({ name: "changes", scope: null, path: null })}
    >
      <span class="visually-hidden">Changes: {files === 0 && "nothing to review"}</span>
      {added + removed === 0 && <Icon name="diff" class="icon-sm" />}
      {files > 0 && <span class="review-label">{words}</span>}
      {added > 0 && <span class="stat-add">+{added.toLocaleString("en")}</span>}
      {removed > 0 && <span class="stat-del">−{removed.toLocaleString("en")}</span>}
    </button>
  );
}

function PanelButton({ model: { panel } }: { model: PortletModel }) {
  return (
    <button
      type="button"
      class="icon-button"
      aria-label="Files"
      title={withKey("Files", "files")}
      aria-keyshortcuts={ariaKeys("files")}
      aria-pressed={panel.view.value?.name === "files"}
      onClick={() => panel.toggle({ name: "files", place: null })}
    >
      <Icon name="folder" class="icon-sm" />
    </button>
  );
}

const NAMES_SHOWN = 3;

/** Who else shows this session now. */
function Others({ model }: { model: PortletModel }) {
  const others = usePiece(model, (state) => state.others);
  const names = others.map(({ name }) => name);
  const shown = names.slice(0, NAMES_SHOWN).join(", ");
  const more = names.length > NAMES_SHOWN ? ` and ${names.length - NAMES_SHOWN} more` : "";
  return (
    <span class="head-others" role="status" aria-label="Also here" hidden={names.length === 0} title={names.join(", ")}>
      {names.length > 0 && (
        <>
          <Icon name="people" class="icon-sm" />
          <span class="truncate">
            {shown}
            {more}
          </span>
        </>
      )}
    </span>
  );
}

function AgentState({ model }: { model: PortletModel }) {
  const agentName = usePiece(model, (state) => state.agentName);
  const cliType = usePiece(model, (state) => state.cliType);
  const status = usePiece(model, (state) => state.status);
  const turn = usePiece(model, (state) => state.session.turn);
  const waits = usePiece(model, (state) => state.session.waits);
  const pause = usePiece(model, (state) => state.session.pause);
  const { mark, word, tone } = pause === null ? agentWords(status, turn, waits) : pausedWords(pause, model.now.value);
  return (
    <span class="agent-status" role="status" aria-label="Agent status" data-status={status} data-tone={tone}>
      {cliType !== null && <Icon name={agentIconName(cliType)} class="icon-sm agent" />}
      <span class="mark narrow-mark" data-state={mark}>
        {mark === "failed" && <Icon name="fail" class="icon-sm" />}
        {(mark === "stalled" || mark === "paused") && <Icon name="clock" class="icon-sm" />}
      </span>
      <span class="truncate">
        {status === "starting" ? (
          `Starting ${agentName}…`
        ) : (
          <>
            <span class="agent-name">{agentName} · </span>
            <span class="state-word">{word}</span>
          </>
        )}
      </span>
    </span>
  );
}

/** How long the turn has been running; separate from the status, which a screen reader would repeat every second. */
function TurnClock({ model }: { model: PortletModel }) {
  const turn = usePiece(model, (state) => state.session.turn);
  if (turn.state === "idle" || turn.startedAt === undefined) return null;
  const elapsedMs = model.now.value - Date.parse(turn.startedAt);
  return (
    <span class="turn-clock faint" aria-hidden="true">
      {elapsedWords(elapsedMs)}
    </span>
  );
}

/** The agent's activity as a mark and a word; the agent's name is beside it. */
interface AgentWords {
  readonly mark: "working" | "waiting" | "stalled" | "failed" | "paused" | "idle" | "ok";
  readonly word: string;
  readonly tone: "plain" | "waiting" | "failed";
}

function pausedWords({ resumesAt, limit }: SessionPause, nowMs: number): AgentWords {
  const end = resumesAt ?? limit.resetsAt;
  const word = end === undefined ? "at a usage limit" : `paused until ${clockWords(end, nowMs)}`;
  return { mark: "paused", word, tone: resumesAt === null ? "waiting" : "plain" };
}

/** A broken agent matters more than its turn, a turn more than an idle agent. */
function agentWords(status: AgentStatus, turn: Turn, waits: readonly ArmedWait[] = []): AgentWords {
  if (status === "disconnected") return { mark: "failed", word: "disconnected", tone: "failed" };
  if (status === "reconnecting") return { mark: "working", word: "reconnecting", tone: "plain" };
  if (status === "starting") return { mark: "working", word: "starting", tone: "plain" };
  switch (turn.state) {
    case "running":
      return { mark: "working", word: "working", tone: "plain" };
    case "waiting":
      return { mark: "waiting", word: "waiting for you", tone: "waiting" };
    case "stalled":
      return { mark: "stalled", word: "no output", tone: "waiting" };
    case "idle":
      if (waits.length > 0) return { mark: "paused", word: agentsWaitedFor(waits), tone: "plain" };
      return status === "connected"
        ? { mark: "ok", word: "ready", tone: "plain" }
        : { mark: "idle", word: "not running", tone: "plain" };
    default:
      return turn.state satisfies never;
  }
}

function agentsWaitedFor(waits: readonly ArmedWait[]): string {
  const count = new Set(waits.flatMap(({ agentIds }) => agentIds)).size;
  return `waiting for ${count} ${count === 1 ? "agent" : "agents"}`;
}
