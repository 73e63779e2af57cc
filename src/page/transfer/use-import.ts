import { useEffect, useState } from "preact/hooks";
import type { CliType, ProjectId } from "../../protocol/ids.ts";
import type { PlainServerMessage } from "../../protocol/server-messages.ts";
import type { ImportMessage } from "../state/session-imports.ts";
import type { Shell } from "../state/shell.ts";

export type Found = Extract<PlainServerMessage, { type: "import:found" }>;
export type Done = Extract<ImportMessage, { type: "import:done" }>;
export type Progress = Pick<Extract<ImportMessage, { type: "import:progress" }>, "importId" | "done" | "total">;

/** Where the dialog stands; each step carries only what it shows. */
export type ImportStep =
  | { readonly step: "asking" }
  | { readonly step: "refused"; readonly words: string }
  | { readonly step: "choosing"; readonly found: Found }
  | { readonly step: "running"; readonly progress: Progress }
  | { readonly step: "done"; readonly done: Done };

interface ImportControl {
  readonly step: ImportStep;
  readonly start: (agentSessionIds: readonly string[]) => Promise<void>;
  readonly cancel: () => void;
  /** Asks the agent again. */
  readonly again: () => void;
}

/** Asks an agent what it has, imports what was chosen, and follows an import that already runs. */
export function useImport(shell: Shell, projectId: ProjectId, cliType: CliType | null): ImportControl {
  const [asked, setAsked] = useState<ImportStep>({ step: "asking" });
  const [started, setStarted] = useState<Progress | null>(null);
  const [round, setRound] = useState(0);
  useEffect(() => {
    const running = cliType === null ? null : runningImport(shell, projectId, cliType);
    setStarted(running);
    if (cliType === null || running) return;
    let isWanted = true;
    const show = (step: ImportStep) => isWanted && setAsked(step);
    setAsked({ step: "asking" });
    void shell
      .attempt({ type: "import:list", projectId, cliType }, (words) => show({ step: "refused", words }))
      .then((found) => found?.type === "import:found" && show({ step: "choosing", found }));
    return () => {
      isWanted = false;
    };
  }, [projectId, cliType, round]);
  const start = async (agentSessionIds: readonly string[]) => {
    if (cliType === null) return;
    const answer = await shell.attempt(
      { type: "import:start", projectId, cliType, agentSessionIds: [...agentSessionIds] },
      (words) => setAsked({ step: "refused", words }),
    );
    if (answer?.type === "import:started") setStarted({ importId: answer.importId, total: answer.total, done: 0 });
  };
  return {
    step: started === null ? asked : stepOf(started, shell.imports.all.value.get(started.importId)),
    start,
    cancel: () => {
      if (started) void shell.attempt({ type: "import:cancel", importId: started.importId });
    },
    again: () => {
      setStarted(null);
      setRound(round + 1);
    },
  };
}

/** One that was started before the dialog was opened, by this agent or by any. */
export function runningImport(shell: Shell, projectId: ProjectId, cliType: CliType | null) {
  const own = [...shell.imports.all.peek().values()].findLast(
    (one) => one.projectId === projectId && (cliType === null || one.cliType === cliType),
  );
  return own?.type === "import:progress" ? own : null;
}

function stepOf(progress: Progress, heard: ImportMessage | undefined): ImportStep {
  if (heard?.type === "import:done") return { step: "done", done: heard };
  return { step: "running", progress: heard ?? progress };
}
