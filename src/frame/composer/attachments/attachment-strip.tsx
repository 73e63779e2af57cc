import type { Part } from "../../../protocol/entry.ts";
import { Icon } from "../../../ui/icons/icon.tsx";
import { attachmentName } from "../../../ui/words/attachment-name.ts";
import type { PortletModel } from "../../portlet-model.ts";
import { isMentioned } from "../composer-state.ts";

/** What goes out with the message, each with its name and a way to leave it out; mentions stand in the text itself. */
export function AttachmentStrip({ model }: { model: PortletModel }) {
  const { text, attachments } = model.composer.value;
  const shown = attachments.filter((part) => !isMentioned(text, part));
  if (shown.length === 0) return null;
  return (
    <ul class="attached" aria-label="Attachments">
      {shown.map((part, index) => (
        <Attached
          key={`${index} ${attachmentName(part)}`}
          part={part}
          remove={() => model.store.change({ type: "detached", part })}
        />
      ))}
    </ul>
  );
}

function Attached({ part, remove }: { part: Part; remove: () => void }) {
  const name = attachmentName(part);
  return (
    <li class="attached-item">
      {part.type === "image" ? (
        <img src={`data:${part.mimeType};base64,${part.data}`} alt={name} />
      ) : (
        <span class="attached-file">
          <Icon name="file" class="icon-sm" />
          <span class="truncate">{name}</span>
        </span>
      )}
      <button
        class="icon-button small"
        type="button"
        aria-label={`Remove ${name}`}
        title={`Remove ${name}`}
        onClick={remove}
      >
        <Icon name="close" class="icon-sm" />
      </button>
    </li>
  );
}
