import type { PlanItem } from "../protocol/entry.ts";
import { isTurnActive, type SessionState } from "../protocol/session-schema.ts";
import { Icon } from "../ui/icons/icon.tsx";
import { type PortletModel, usePiece } from "./portlet-model.ts";
import { type PlanSegment, planSummary } from "./transcript/parts/plan.ts";

/** The plan of the running turn, always in view: one line if closed, every step if open. */
export function PlanStrip({ model }: { model: PortletModel }) {
  const items = usePiece(model, ({ session }) => currentPlan(session));
  const isWaiting = usePiece(model, ({ session }) => session.turn.state === "waiting");
  if (items === null) return null;
  const { done, total, segments, current } = planSummary(items);
  return (
    <details class="plan">
      <summary>
        <Icon name="plan" class="icon-sm" />
        <span>Plan</span>
        <span class="segments" role="img" aria-label={`${done} of ${total} done`}>
          {segments.map((segment, index) => (
            <i key={`${items[index]?.content}`} class={segmentClass(segment, isWaiting)} />
          ))}
        </span>
        <span class="faint">
          {done} of {total}
        </span>
        <span class="current truncate">{current}</span>
        <span class="spacer" />
        <Icon name="down" class="icon-sm" />
      </summary>
      <ol class="plan-items">
        {items.map((item, index) => (
          <PlanStep key={item.content} content={item.content} segment={segments[index] ?? "todo"} />
        ))}
      </ol>
    </details>
  );
}

function PlanStep({ content, segment }: { content: string; segment: PlanSegment }) {
  return (
    <li class={segment}>
      {segment === "done" && <Icon name="check" />}
      {segment === "now" && <span class="mark" data-state="working" />}
      {segment === "todo" && <span />}
      <span>{content}</span>
    </li>
  );
}

function segmentClass(segment: PlanSegment, isWaiting: boolean): string {
  return segment === "now" && isWaiting ? "wait" : segment;
}

/** Once it is done, or the turn has ended, the plan is shown in the transcript only; until then it is current. */
function currentPlan({ turn, open }: SessionState): readonly PlanItem[] | null {
  if (!isTurnActive(turn)) return null;
  const plan = open.findLast((entry) => entry.type === "plan");
  const isOpen = plan?.type === "plan" && plan.items.some(({ status }) => status !== "completed");
  return isOpen ? plan.items : null;
}
