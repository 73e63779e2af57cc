import type { ArmedWait } from "../../protocol/delegation.ts";
import { Icon } from "../../ui/icons/icon.tsx";
import { type PortletModel, usePiece } from "../portlet-model.ts";

/** What will set this session to work by itself, and the button that keeps it from that. */
export function ArmedWaits({ model }: { model: PortletModel }) {
  const waits = usePiece(model, (state) => state.session.waits);
  return (
    <>
      {waits?.map((wait) => (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields; this groups a text with its button
        <div class="queued" role="group" aria-label="Waiting for agents" key={wait.waitId}>
          <Icon name="clock" class="icon-sm" />
          <span class="truncate">{waitWords(wait)}</span>
          <span class="end">
            <button
              class="button ghost"
              type="button"
              onClick={() => model.store.ask({ type: "session:wait-cancel", waitId: wait.waitId })}
            >
              Stop waiting
            </button>
          </span>
        </div>
      ))}
    </>
  );
}

function waitWords({ agentIds, until }: ArmedWait): string {
  if (agentIds.length === 1) return "Waiting for 1 agent; resumes when it finishes.";
  const when = until === "any" ? "the first finishes" : "they finish";
  return `Waiting for ${agentIds.length} agents; resumes when ${when}.`;
}
