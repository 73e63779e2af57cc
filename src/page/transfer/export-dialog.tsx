import type { SessionId } from "../../protocol/ids.ts";
import { Icon } from "../../ui/icons/icon.tsx";
import { Dialog } from "../controls/dialog.tsx";
import { followWithTicket } from "../own-server.ts";
import type { Shell } from "../state/shell.ts";

interface ExportDialogProps {
  readonly shell: Shell;
  readonly sessionId: SessionId;
}

const FORMS = [
  { format: "md", name: "Markdown", use: "For reading and pasting elsewhere." },
  { format: "html", name: "Web page", use: "One self-contained file, also for printing." },
  { format: "json", name: "JSON", use: "Complete. Can be imported again." },
] as const;

/** Exports a session in one of three formats. */
export function ExportDialog({ shell, sessionId }: ExportDialogProps) {
  const title = shell.server.value.sessions.get(sessionId)?.title ?? "session";
  return (
    <Dialog title={`Export “${title}”`} onClose={() => shell.closeDialog()}>
      <div class="dialog-body">
        <ul class="export-forms">
          {FORMS.map(({ format, name, use }, index) => (
            <li key={format}>
              <a
                href={`/api/export?${new URLSearchParams({ sessionId, format })}`}
                download
                onClick={(event) => followWithTicket(event, (words) => shell.notify(words))}
                data-first-focus={index === 0 || undefined}
              >
                <strong>{name}</strong>
                <span>{use}</span>
                <Icon name="download" class="icon-sm" />
              </a>
            </li>
          ))}
        </ul>
        <p class="hint">Includes tool output, file contents and images. Review it before sharing.</p>
      </div>
    </Dialog>
  );
}
