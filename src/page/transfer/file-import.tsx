import { useRef, useState } from "preact/hooks";
import type { CliType, ProjectId } from "../../protocol/ids.ts";
import { Icon } from "../../ui/icons/icon.tsx";
import type { Shell } from "../state/shell.ts";
import { type FileAnswer, sendFile } from "./send-file.ts";

interface FileImportProps {
  readonly shell: Shell;
  readonly projectId: ProjectId;
  readonly cliType: CliType | null;
  readonly agentName: string;
}

type FileStep = { readonly step: "none" } | { readonly step: "reading" } | (FileAnswer & { readonly file: File });

/** An exported file becomes a session; one that was imported before is offered as a copy. */
export function FileImport({ shell, projectId, cliType, agentName }: FileImportProps) {
  const input = useRef<HTMLInputElement>(null);
  const [step, setStep] = useState<FileStep>({ step: "none" });
  const read = async (file: File, more: { readonly copy?: boolean; readonly cliType?: CliType } = {}) => {
    setStep({ step: "reading" });
    const answer = await sendFile(projectId, file, more);
    if (answer.step === "imported") open(answer.session.id);
    else setStep({ ...answer, file });
  };
  const open = (id: Parameters<Shell["open"]>[0]) => {
    shell.closeDialog();
    shell.open(id, { focus: true });
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
          onOpen={() => open(step.session.id)}
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
  /** Whom it could be imported for instead; null when that is not what is wrong. */
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
          Import it for {agentName}
        </button>
      )}
    </div>
  );
}
