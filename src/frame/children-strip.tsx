import { useEffect, useState } from "preact/hooks";
import type { ShownChild } from "../protocol/portlet-messages.ts";
import { Icon } from "../ui/icons/icon.tsx";
import { agentIconName } from "../ui/icons/icon-shapes.ts";
import { type PortletModel, usePiece } from "./portlet-model.ts";

const ACTIVE: ReadonlySet<ShownChild["mark"]> = new Set(["working", "waiting", "stalled", "paused"]);
const MARK_NAMES: Readonly<Record<ShownChild["mark"], string>> = {
  working: "working",
  waiting: "waiting for you",
  stalled: "no output for a while",
  failed: "failed",
  paused: "waiting for its agents",
  done: "finished",
  idle: "not running",
};

/** The agents this session started, in one strip above the composer: state, last line, files, cost against the budget. */
export function ChildrenStrip({ model }: { model: PortletModel }) {
  const { children, spent, share } = usePiece(model, (state) => state.children);
  // It opens with the first working agent and is closed only by the user: its buttons must not move under the pointer.
  const [chosen, setOpen] = useState<boolean | null>(null);
  const open = children.filter(({ ended }) => !ended);
  const active = open.filter(({ mark }) => ACTIVE.has(mark)).length;
  const isOpen = chosen ?? active > 0;
  useEffect(() => {
    if (chosen === null && active > 0) setOpen(true);
  }, [chosen, active]);
  if (open.length === 0) return null;
  return (
    <section class="kids" aria-label="Agents of this session">
      <header class="kids-head">
        <button type="button" class="kids-toggle" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <Icon name={isOpen ? "down" : "chevron"} class="icon-sm" />
          <Icon name="tree" class="icon-sm" />
          <b>Agents</b>
          <span class="faint">
            {active} of {open.length} active
          </span>
        </button>
        <span class="budget">
          {share !== undefined && <Meter label="Budget of all agents" share={share} />}
          <span>{spent}</span>
        </span>
        {active > 0 && (
          <button
            type="button"
            class="button small kids-stop"
            title="Stop this session and all its agents"
            onClick={() => model.store.stopTree()}
          >
            <Icon name="stop" class="icon-sm" />
            Stop all
          </button>
        )}
      </header>
      {isOpen && (
        <ul>
          {open.map((child) => (
            <Child key={child.sessionId} child={child} model={model} />
          ))}
        </ul>
      )}
    </section>
  );
}

function Child({ child, model }: { child: ShownChild; model: PortletModel }) {
  const { sessionId, title, cliType, mark, words, target, filesChanged, cost, share } = child;
  const act = (what: "open" | "stop" | "kill") => model.store.actOnChild(what, sessionId);
  return (
    <li class="kid" data-child={sessionId}>
      <span class="mark" data-state={mark}>
        {mark === "failed" && <Icon name="fail" class="icon-sm" />}
        {(mark === "stalled" || mark === "paused") && <Icon name="clock" class="icon-sm" />}
        {mark === "done" && <Icon name="check" class="icon-sm" />}
      </span>
      <Icon name={agentIconName(cliType)} class="icon-sm agent" />
      <button
        type="button"
        class="name truncate"
        title={title}
        aria-description={MARK_NAMES[mark]}
        onClick={() => act("open")}
      >
        {title}
      </button>
      <span class="last truncate" data-tone={mark === "waiting" || mark === "failed" ? mark : undefined} title={words}>
        {words} {target !== "" && <span class="mono">{target}</span>}
      </span>
      <span class="files">{filesChanged > 0 && (filesChanged === 1 ? "1 file" : `${filesChanged} files`)}</span>
      <span class="cost-cell">
        {cost}
        {share !== undefined && <Meter label={`Budget used by ${title}`} share={share} />}
      </span>
      <span class="acts">
        {ACTIVE.has(mark) && (
          <button
            type="button"
            class="icon-button small"
            aria-label={`Stop ${title}`}
            title="Stop: end the turn, keep the session"
            onClick={() => act("stop")}
          >
            <Icon name="stop" class="icon-sm" />
          </button>
        )}
        <button
          type="button"
          class="icon-button small danger"
          aria-label={`Kill ${title}`}
          title="Kill: end the process"
          onClick={() => act("kill")}
        >
          <Icon name="close" class="icon-sm" />
        </button>
      </span>
    </li>
  );
}

function Meter({ label, share }: { label: string; share: number }) {
  const percent = Math.round(Math.min(share, 1) * 100);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a meter element cannot be drawn as thin as this one
    <span
      class="progress"
      role="meter"
      aria-label={label}
      aria-valuenow={percent}
      aria-valuemin={0}
      aria-valuemax={100}
    >
      <i style={{ "--value": `${percent}%` }} />
    </span>
  );
}
