import { Icon } from "../../ui/icons/icon.tsx";
import { TRACE_KINDS, type TraceKind } from "./filter-trace.ts";

const KIND_WORDS: Readonly<Record<TraceKind, string>> = { all: "All", out: "Sent", in: "Received", noise: "Output" };

interface LogFilterProps {
  readonly kind: TraceKind;
  readonly text: string;
  readonly onKind: (kind: TraceKind) => void;
  readonly onText: (text: string) => void;
}

/** Narrows the log down: by the way a line went, and by what stands in it. */
export function LogFilter({ kind, text, onKind, onText }: LogFilterProps) {
  return (
    <div class="log-filter">
      <div class="field">
        <Icon name="search" class="icon-sm" />
        <input
          type="search"
          aria-label="Filter log"
          placeholder="Filter"
          autocomplete="off"
          spellcheck={false}
          data-first-focus
          value={text}
          onInput={(event) => onText(event.currentTarget.value)}
        />
      </div>
      <fieldset class="segmented" aria-label="Lines">
        {TRACE_KINDS.map((each) => (
          <button key={each} type="button" aria-pressed={kind === each} onClick={() => onKind(each)}>
            {KIND_WORDS[each]}
          </button>
        ))}
      </fieldset>
    </div>
  );
}
