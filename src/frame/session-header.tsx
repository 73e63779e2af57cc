import type { ArmedWait } from "../protocol/delegation.ts";
import type { AgentStatus } from "../protocol/server-messages.ts";
import type { Turn } from "../protocol/session-parts.ts";
import { Icon } from "../ui/icons/icon.tsx";
import { agentIconName } from "../ui/icons/icon-shapes.ts";
import { costWords } from "../ui/words/cost-words.ts";
import { elapsedWords } from "../ui/words/time-words.ts";
import { type PortletModel, usePiece } from "./portlet-model.ts";

/** What the shell shows of a session over it. */
const DIALOGS = [
  { what: "permissions", name: "Permissions", icon: "shield" },
  { what: "export", name: "Export", icon: "download" },
  { what: "log", name: "Show log", icon: "terminal" },
] as const;

/** One line: where this session works, who works in it, and what it has cost. */
export function SessionHeader({ model }: { model: PortletModel }) {
  const projectName = usePiece(model, (state) => state.projectName);
  const title = usePiece(model, (state) => state.session.title);
  const usage = usePiece(model, (state) => state.session.config.usage);
  const parentTitle = usePiece(model, (state) => state.parentTitle);
  const hasProcess = usePiece(model, ({ status }) => status === "connected" || status === "starting");
  return (
    <header class="session-head">
      <h1 class="visually-hidden">{title}</h1>
      <div class="crumbs">
        <Icon name="folder" class="icon-sm" />
        <span class="here truncate" title={projectName}>
          {projectName}
        </span>
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
      <AgentState model={model} />
      <TurnClock model={model} />
      <div class="head-end">
        {usage?.cost !== undefined && usage.cost.amount > 0 && (
          <span class="tag plain cost" title="Cost of this session">
            {costWords(usage.cost)}
          </span>
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

function AgentState({ model }: { model: PortletModel }) {
  const agentName = usePiece(model, (state) => state.agentName);
  const cliType = usePiece(model, (state) => state.cliType);
  const status = usePiece(model, (state) => state.status);
  const turn = usePiece(model, (state) => state.session.turn);
  const waits = usePiece(model, (state) => state.session.waits);
  const { mark, word, tone } = agentWords(status, turn, waits);
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

/** How long the turn has been running; apart from the status, which a screen reader would repeat every second. */
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

/** What the agent does, as a mark and a word; the name of the agent stands beside it. */
interface AgentWords {
  readonly mark: "working" | "waiting" | "stalled" | "failed" | "paused" | "idle" | "ok";
  readonly word: string;
  readonly tone: "plain" | "waiting" | "failed";
}

/** A broken agent matters more than its turn, a turn more than an agent at rest. */
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
