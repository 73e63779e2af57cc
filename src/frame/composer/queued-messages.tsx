import { Fragment } from "preact";
import { useRef, useState } from "preact/hooks";
import type { CommandId } from "../../protocol/ids.ts";
import type { QueueItem } from "../../protocol/session-parts.ts";
import { isTurnActive } from "../../protocol/session-schema.ts";
import { KeyHint } from "../../ui/controls/key-hint.tsx";
import { Icon } from "../../ui/icons/icon.tsx";
import type { IconName } from "../../ui/icons/icon-shapes.ts";
import { keyWords } from "../../ui/keys/key-bindings.ts";
import { type PortletModel, usePiece } from "../portlet-model.ts";
import type { Outgoing } from "./composer-state.ts";

const SEND_NOW_WORDS = "Send now: stops the running turn and sends this next";

/** Messages queued for the end of the running turn: each can be moved, edited, sent first or removed. */
export function QueuedMessages({ model }: { model: PortletModel }) {
  const queue = usePiece(model, (state) => state.session.queue);
  // At a usage limit, and while another program has the conversation open, a card says when it is sent.
  const isPaused = usePiece(
    model,
    ({ session }) => session.queuePaused && session.pause === null && session.away?.waits !== true,
  );
  const { outgoing, editing } = model.composer.value;
  const sending = outgoing.filter(({ place }) => place === "queue");
  // An edited message keeps its position while it is edited and while it is sent back.
  const isAhead = (aheadOf: readonly CommandId[] | undefined, index: number) =>
    aheadOf !== undefined && queue.findIndex(({ commandId }) => aheadOf.includes(commandId)) === index;
  const sendingAt = (index: number) =>
    sending.filter(({ aheadOf }) => isAhead(aheadOf, index)).map((one) => <SendingRow key={one.commandId} {...one} />);
  const list = useRef<HTMLDivElement>(null);
  const drag = useQueueDrag(model, list);
  return (
    <>
      {isPaused && queue.length > 0 && <PausedRow model={model} />}
      <div ref={list} {...drag.events}>
        {queue.map((item, index) => (
          <Fragment key={item.commandId}>
            {isAhead(editing?.aheadOf, index) && <EditingRow model={model} />}
            {sendingAt(index)}
            <QueuedRow
              model={model}
              item={item}
              index={index}
              isOnly={queue.length === 1}
              isTarget={drag.target === index}
            />
          </Fragment>
        ))}
        {isAhead(editing?.aheadOf, -1) && <EditingRow model={model} />}
      </div>
      {sending
        .filter(({ aheadOf = [] }) => isAhead(aheadOf, -1))
        .map((one) => (
          <SendingRow key={one.commandId} {...one} />
        ))}
    </>
  );
}

function SendingRow({ content, steers }: Outgoing) {
  return (
    <div class="queued sending">
      <Icon name={steers ? "bolt" : "queue"} class="icon-sm" />
      <span class="truncate">{content}</span>
      <span class="end faint">sending</span>
    </div>
  );
}

/** Placeholder for the message that is in the composer. */
function EditingRow({ model }: { model: PortletModel }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields; this groups a text with its button
    <div class="queued editing" role="group" aria-label="Message being edited">
      <Icon name="edit" class="icon-sm" />
      <span class="truncate">Editing below. Press Enter to save.</span>
      <span class="end">
        <button class="button small ghost" type="button" onClick={() => model.store.endEdit()}>
          Cancel edit
          <KeyHint name={keyWords("stop")} />
        </button>
      </span>
    </div>
  );
}

function PausedRow({ model }: { model: PortletModel }) {
  return (
    <div class="queued paused" role="note">
      <Icon name="pause" class="icon-sm" />
      <span class="truncate">Queue paused. Press Resume to send.</span>
      <button
        class="button small"
        type="button"
        title="Resume queue"
        onClick={() => model.store.ask({ type: "session:queue-resume" })}
      >
        Resume
      </button>
    </div>
  );
}

interface QueuedRowProps {
  readonly model: PortletModel;
  readonly item: QueueItem;
  readonly index: number;
  readonly isOnly: boolean;
  readonly isTarget: boolean;
}

function QueuedRow({ model, item, index, isOnly, isTarget }: QueuedRowProps) {
  const { store } = model;
  const isActive = usePiece(model, (state) => isTurnActive(state.session.turn));
  const { commandId, content, attachments = [], steering } = item;
  const words = content === "" ? "Attachments only" : content;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields; this groups a text with its buttons
    <div
      class={isTarget ? "queued drop-target" : "queued"}
      role="group"
      aria-label="Queued message"
      draggable={!steering && !isOnly}
      data-queued={commandId}
    >
      {steering || isOnly ? (
        <Icon name={steering ? "bolt" : "queue"} class="icon-sm" />
      ) : (
        <MoveButton index={index} move={(by) => moveTo(model, commandId, index + by)} />
      )}
      <span class="truncate" title={content}>
        {words}
      </span>
      {attachments.length > 0 && (
        <span class="queued-attached" title={attachmentWords(attachments.length)}>
          <Icon name="attach" class="icon-sm" />
          {attachments.length}
        </span>
      )}
      {steering ? (
        <span class="end faint">steering</span>
      ) : (
        <span class="end">
          <QueueButton
            label="Send now"
            title={isActive ? SEND_NOW_WORDS : "Send now, before the others"}
            icon="send"
            onClick={() => store.ask({ type: "session:send-now", queuedId: commandId })}
          />
          <QueueButton
            label="Edit queued message"
            icon="edit"
            onClick={() => {
              store.editQueued(item);
              document.getElementById("message")?.focus();
            }}
          />
          <QueueButton label="Remove queued message" icon="close" onClick={() => store.removeQueued(commandId)} />
        </span>
      )}
    </div>
  );
}

function MoveButton({ index, move }: { index: number; move: (by: 1 | -1) => void }) {
  return (
    <button
      class="icon-button small grip"
      type="button"
      aria-label={`Move queued message ${index + 1}`}
      title="Drag, or use the up and down arrow keys"
      onKeyDown={(event) => {
        if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return;
        event.preventDefault();
        move(event.key === "ArrowUp" ? -1 : 1);
      }}
    >
      <Icon name="updown" class="icon-sm" />
    </button>
  );
}

interface QueueButtonProps {
  readonly label: string;
  readonly title?: string;
  readonly icon: IconName;
  readonly onClick: () => void;
}

function QueueButton({ label, title = label, icon, onClick }: QueueButtonProps) {
  return (
    <button class="icon-button small" type="button" aria-label={label} title={title} onClick={onClick}>
      <Icon name={icon} class="icon-sm" />
    </button>
  );
}

/** Dragging a row along the list: it takes the position of the row it is dropped on. */
function useQueueDrag(model: PortletModel, list: { current: HTMLElement | null }) {
  const [dragged, setDragged] = useState<CommandId | null>(null);
  const [target, setTarget] = useState<number | null>(null);
  const end = () => {
    setDragged(null);
    setTarget(null);
  };
  const placeAt = (y: number): number => {
    const rows = [...(list.current?.querySelectorAll("[data-queued]") ?? [])];
    return dropPlace(
      rows.map((row) => row.getBoundingClientRect()),
      y,
    );
  };
  const events = {
    onDragStart: (event: DragEvent) => {
      const id = event.target instanceof HTMLElement ? event.target.dataset["queued"] : undefined;
      const item = model.store.state.session.queue.find(({ commandId }) => commandId === id);
      if (item === undefined) return;
      event.dataTransfer?.setData("text/plain", item.content);
      setDragged(item.commandId);
    },
    onDragOver: (event: DragEvent) => {
      if (dragged === null) return;
      event.preventDefault();
      setTarget(placeAt(event.clientY));
    },
    onDrop: (event: DragEvent) => {
      if (dragged === null) return;
      event.preventDefault();
      moveTo(model, dragged, placeAt(event.clientY));
      end();
    },
    onDragEnd: end,
  };
  return { events, target: dragged === null ? null : target };
}

function moveTo({ store }: PortletModel, id: CommandId, to: number): void {
  const { queue } = store.state.session;
  const from = queue.findIndex(({ commandId }) => commandId === id);
  const moved = moveQueued(queue, from, to);
  if (moved !== queue) store.editQueue(moved);
}

function attachmentWords(count: number): string {
  return count === 1 ? "1 attachment" : `${count} attachments`;
}

/** A list with one item moved; the same list if it would not move. */
export function moveQueued<Item>(items: readonly Item[], from: number, to: number): readonly Item[] {
  const item = items[from];
  const place = Math.min(Math.max(to, 0), items.length - 1);
  if (item === undefined || place === from) return items;
  return items.toSpliced(from, 1).toSpliced(place, 0, item);
}

/** Where a dragged row would be dropped: at the position of the row whose middle the pointer has passed. */
export function dropPlace(edges: readonly { readonly top: number; readonly bottom: number }[], y: number): number {
  const over = edges.findIndex(({ bottom }) => y < bottom);
  return over === -1 ? edges.length - 1 : over;
}
