import { Icon } from "../icons/icon.tsx";
import { type PortletModel, usePiece } from "./portlet-model.ts";

/** What stands between the user and the agent, why, and the button that mends it. */
export function AgentNotice({ model }: { model: PortletModel }) {
  const status = usePiece(model, (state) => state.status);
  const message = usePiece(model, (state) => state.statusMessage);
  const agentName = usePiece(model, (state) => state.agentName);
  const turn = usePiece(model, (state) => state.session.turn);
  if (status === "disconnected") {
    return (
      <div class="notice" data-severity="error">
        <Icon name="unplug" />
        <div class="body">
          <div>
            <strong>{agentName} is not connected</strong>
            <p class="notice-words">{message ?? "It stopped, and trying again by itself did not help."}</p>
          </div>
          <div class="actions">
            <button class="button primary" type="button" onClick={() => model.store.reconnect()}>
              <Icon name="refresh" class="icon-sm" />
              Reconnect
            </button>
          </div>
        </div>
      </div>
    );
  }
  if (status === "reconnecting") {
    return (
      <div class="notice" data-severity="warning">
        <Icon name="plug" />
        <div class="body">
          <div>
            <strong>Reconnecting to {agentName}</strong>
            <p class="notice-words">{message ?? "The session goes on where it was. Your text is kept."}</p>
          </div>
        </div>
      </div>
    );
  }
  if (turn.state !== "stalled") return null;
  return (
    <div class="notice" data-severity="warning">
      <Icon name="clock" />
      <div class="body">
        <div>
          <strong>No output for a while</strong>
          <p class="notice-words">
            {agentName} runs no tool and waits for nothing. Models do think for minutes; it may still come.
          </p>
        </div>
      </div>
    </div>
  );
}
