import { useRef, useState } from "preact/hooks";
import { z } from "zod/mini";
import type { CliType, ProjectId } from "../../protocol/ids.ts";
import { IMPORT_BYTES_MAX, IMPORT_TOO_LARGE } from "../../protocol/limits.ts";
import { SessionRow } from "../../protocol/session-schema.ts";
import { Icon } from "../../ui/icons/icon.tsx";
import { askServer } from "../own-server.ts";
import type { Shell } from "../state/shell.ts";

interface FileImportProps {
  readonly shell: Shell;
  readonly projectId: ProjectId;
  readonly cliType: CliType | null;
  readonly agentName: string;
}

type FileStep = { readonly step: "none" } | { readonly step: "reading" } | (FileAnswer & { readonly file: File });

/** Imports an exported file as a session; one that was already imported is offered as a copy. */
export function FileImport({ shell, projectId, cliType, agentName }: FileImportProps) {
  const input = useRef<HTMLInputElement>(null);
  const [step, setStep] = useState<FileStep>({ step: "none" });
  const read = async (file: File, more: { readonly copy?: boolean; readonly cliType?: CliType } = {}) => {
    setStep({ step: "reading" });
    const answer = await sendFile(projectId, file, more);
    if (answer.step === "imported") open(answer.session);
    else setStep({ ...answer, file });
  };
  const open = (session: SessionRow) => {
    shell.closeDialog();
    shell.openAnswered(session);
  };
  return (
    <div class="import-file">
      <input
        ref={input}
        type="file"
        accept=".json,application/json"
        hidden
        onChange={(event) => {
          const [file] = event.currentTarget.files ?? [];
          event.currentTarget.value = "";
          if (file) void read(file);
        }}
      />
      <button
        type="button"
        class="button"
        aria-disabled={step.step === "reading"}
        onClick={() => input.current?.click()}
      >
        Import file…
      </button>
      <span class="hint">A session exported as JSON.</span>
      {step.step === "reading" && <p role="status">Reading the file…</p>}
      {step.step === "known" && (
        <KnownFile
          title={step.session.title}
          onOpen={() => open(step.session)}
          onCopy={() => void read(step.file, { copy: true })}
        />
      )}
      {step.step === "refused" && (
        <RefusedFile
          words={step.words}
          agentName={step.isAgentUnknown && cliType !== null ? agentName : null}
          onImport={() => cliType !== null && void read(step.file, { cliType })}
        />
      )}
    </div>
  );
}

interface KnownFileProps {
  readonly title: string;
  readonly onOpen: () => void;
  readonly onCopy: () => void;
}

function KnownFile({ title, onOpen, onCopy }: KnownFileProps) {
  return (
    <div class="import-known" role="alert">
      <p>Already imported as “{title}”.</p>
      <button type="button" class="button" onClick={onOpen}>
        Open it
      </button>
      <button type="button" class="button" onClick={onCopy}>
        Import a copy
      </button>
    </div>
  );
}

interface RefusedFileProps {
  readonly words: string;
  /** The agent it could be imported for instead; null if that is not the problem. */
  readonly agentName: string | null;
  readonly onImport: () => void;
}

function RefusedFile({ words, agentName, onImport }: RefusedFileProps) {
  return (
    <div role="alert">
      <p class="error-text">
        <Icon name="fail" class="icon-sm" />
        <span>{words}</span>
      </p>
      {agentName !== null && (
        <button type="button" class="button" onClick={onImport}>
          Import for {agentName}
        </button>
      )}
    </div>
  );
}

const Answer = z.object({
  session: z.optional(SessionRow),
  error: z.optional(z.string()),
  code: z.optional(z.string()),
});

type FileAnswer =
  | { readonly step: "imported"; readonly session: SessionRow }
  | { readonly step: "known"; readonly session: SessionRow }
  | { readonly step: "refused"; readonly words: string; readonly isAgentUnknown: boolean };

/** Uploads a file to the server; never rejects, because errors are shown beside the button. */
async function sendFile(
  projectId: ProjectId,
  file: File,
  { copy = false, cliType }: { readonly copy?: boolean; readonly cliType?: CliType },
): Promise<FileAnswer> {
  if (file.size > IMPORT_BYTES_MAX) return { step: "refused", words: IMPORT_TOO_LARGE, isAgentUnknown: false };
  const query = new URLSearchParams({ projectId, ...(copy && { copy: "1" }), ...(cliType && { cliType }) });
  try {
    const response = await askServer(`/api/import?${query}`, { method: "POST", body: file });
    const { session, error, code } = Answer.parse(await response.json());
    if (session) return { step: response.ok ? "imported" : "known", session };
    const words = error ?? `The server returned ${response.status}. Try again.`;
    return { step: "refused", words, isAgentUnknown: code === "AGENT_UNKNOWN" };
  } catch {
    // The connection was lost, or the answer is not ours: there is nothing more to report.
    return { step: "refused", words: "Upload failed. Try again.", isAgentUnknown: false };
  }
}
