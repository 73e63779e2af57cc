import { Icon } from "../icons/icon.tsx";
import { type PortletModel, usePiece } from "../portlet/portlet-model.ts";

/** Messages that wait for the running turn to end: each can be taken back or dropped. */
export function QueuedMessages({ model }: { model: PortletModel }) {
  const queue = usePiece(model, (state) => state.session.queue);
  const isPaused = usePiece(model, (state) => state.session.queuePaused);
  const sending = model.composer.value.outgoing.filter(({ place }) => place === "queue");
  return (
    <>
      {isPaused && queue.length > 0 && (
        <div class="queued paused" role="note">
          <Icon name="pause" class="icon-sm" />
          <span>Paused. The queue goes on when you send a message.</span>
        </div>
      )}
      {queue.map((item) => (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields; this groups a text with its two buttons
        <div class="queued" role="group" aria-label="Queued message" key={item.commandId}>
          <Icon name="queue" class="icon-sm" />
          <span class="truncate" title={item.content}>
            {item.content}
          </span>
          <span class="end">
            <QueueButton label="Edit queued message" icon="edit" onClick={() => model.store.editQueued(item)} />
            <QueueButton
              label="Remove queued message"
              icon="close"
              onClick={() => model.store.removeQueued(item.commandId)}
            />
          </span>
        </div>
      ))}
      {sending.map(({ commandId, content }) => (
        <div class="queued sending" key={commandId}>
          <Icon name="queue" class="icon-sm" />
          <span class="truncate">{content}</span>
          <span class="end faint">sending</span>
        </div>
      ))}
    </>
  );
}

function QueueButton({ label, icon, onClick }: { label: string; icon: "edit" | "close"; onClick: () => void }) {
  return (
    <button class="icon-button small" type="button" aria-label={label} title={label} onClick={onClick}>
      <Icon name={icon} class="icon-sm" />
    </button>
  );
}
