import { relativeAge } from "../../ui/words/relative-age.ts";
import type { Found } from "./use-import.ts";

interface FoundListProps {
  readonly found: Found;
  readonly now: number;
  readonly chosen: ReadonlySet<string>;
  readonly onChosen: (chosen: ReadonlySet<string>) => void;
}

/** What the agent has and we have not, newest first. */
export function FoundList({ found, now, chosen, onChosen }: FoundListProps) {
  const { sessions, isCut, brings } = found;
  const fresh = sessions.filter(({ deletedHere }) => deletedHere !== true).map(({ agentSessionId }) => agentSessionId);
  const isAll = fresh.every((id) => chosen.has(id));
  return (
    <div class="import-found">
      {fresh.length > 0 && (
        <label class="import-all">
          <input
            type="checkbox"
            checked={isAll}
            ref={(box) => {
              if (box) box.indeterminate = chosen.size > 0 && !isAll;
            }}
            onChange={() => onChosen(isAll ? new Set() : new Set([...chosen, ...fresh]))}
          />
          <span>Select all {fresh.length.toLocaleString("en")}</span>
        </label>
      )}
      <ul class="import-list" aria-label="Sessions to import">
        {sessions.map(({ agentSessionId, title, updatedAt, deletedHere }) => (
          <li key={agentSessionId}>
            <label>
              <input
                type="checkbox"
                checked={chosen.has(agentSessionId)}
                onChange={() => onChosen(toggled(chosen, agentSessionId))}
              />
              <span class="truncate" title={title ?? agentSessionId}>
                {title ?? <span class="mono faint">{agentSessionId}</span>}
              </span>
              {deletedHere && <span class="import-deleted faint">deleted here</span>}
              {updatedAt !== undefined && (
                <time class="faint" dateTime={updatedAt} title={new Date(updatedAt).toLocaleString()}>
                  {relativeAge(updatedAt, now)}
                </time>
              )}
            </label>
          </li>
        ))}
      </ul>
      {brings === "memory" && (
        <p class="hint">
          This agent cannot repeat what was said. Its sessions come in empty and go on from its memory.
        </p>
      )}
      {isCut && <p class="hint">It has more than these. Import some, then look again.</p>}
    </div>
  );
}

function toggled(chosen: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(chosen);
  if (!next.delete(id)) next.add(id);
  return next;
}
