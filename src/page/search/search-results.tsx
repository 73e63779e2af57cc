import { useLayoutEffect } from "preact/hooks";
import type { SearchHit } from "../../protocol/search.ts";
import { agentIconName } from "../../ui/icons/agent-icon-name.ts";
import { Icon } from "../../ui/icons/icon.tsx";
import { relativeAge } from "../../ui/words/relative-age.ts";
import type { Shell } from "../state/shell.ts";
import { type HitGroup, hitKey } from "./group-hits.ts";
import { KIND_WORDS } from "./search-wish.ts";

export const RESULTS_ID = "search-results";

interface SearchResultsProps {
  readonly shell: Shell;
  readonly groups: readonly HitGroup[];
  readonly current: SearchHit | undefined;
  readonly onOpen: (hit: SearchHit) => void;
  readonly onPoint: (hit: SearchHit) => void;
}

/** The hits under the sessions they are in. The focus stays in the field: the chosen one is pointed at. */
export function SearchResults({ shell, groups, current, onOpen, onPoint }: SearchResultsProps) {
  const currentKey = current && hitKey(current);
  useLayoutEffect(() => {
    if (currentKey !== undefined) document.getElementById(currentKey)?.scrollIntoView({ block: "nearest" });
  }, [currentKey]);
  return (
    <div id={RESULTS_ID} role="listbox" aria-label="Results" hidden={groups.length === 0}>
      {groups.map(({ first, hits }) => (
        // biome-ignore lint/a11y/useSemanticElements: a group of options, not of fields
        <div key={first.sessionId} role="group" aria-label={first.title} class="search-group">
          <GroupHead shell={shell} first={first} />
          {hits.map((hit) => (
            <HitOption
              key={hitKey(hit)}
              shell={shell}
              hit={hit}
              isCurrent={hit === current}
              onOpen={() => onOpen(hit)}
              onPoint={() => onPoint(hit)}
            />
          ))}
        </div>
      ))}
    </div>
  );
}

function GroupHead({ shell, first }: { shell: Shell; first: SearchHit }) {
  const project = shell.server.value.projects.find(({ id }) => id === first.projectId);
  return (
    <div class="search-session" role="presentation">
      <Icon name={agentIconName(first.cliType)} class="icon-sm agent" />
      <span class="truncate">{first.title}</span>
      {first.archived && (
        <span class="tag" title="Opening it brings it back to the list">
          Archived
        </span>
      )}
      <span class="faint truncate">{project?.name}</span>
    </div>
  );
}

interface HitOptionProps {
  readonly shell: Shell;
  readonly hit: SearchHit;
  readonly isCurrent: boolean;
  readonly onOpen: () => void;
  readonly onPoint: () => void;
}

function HitOption({ shell, hit, isCurrent, onOpen, onPoint }: HitOptionProps) {
  const { kind, snippet, timestamp } = hit;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the keys, as the pattern for comboboxes asks
    <div
      id={hitKey(hit)}
      role="option"
      class="search-hit"
      tabIndex={-1}
      aria-selected={isCurrent}
      onClick={onOpen}
      onPointerMove={() => {
        if (!isCurrent) onPoint();
      }}
    >
      <span class="kind">{KIND_WORDS[kind]}</span>
      <span class="snippet">
        {snippet.map(({ text, hit: isHit }, index) => (isHit ? <mark key={index}>{text}</mark> : text))}
      </span>
      {timestamp !== undefined && (
        <time class="age" dateTime={timestamp} title={new Date(timestamp).toLocaleString()}>
          {relativeAge(timestamp, shell.nowMs.value)}
        </time>
      )}
    </div>
  );
}
