import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { SEARCH_QUERY_CHARS_MAX, type SearchHit } from "../../protocol/search.ts";
import { Icon } from "../../ui/icons/icon.tsx";
import { agentIconName } from "../../ui/icons/icon-shapes.ts";
import { relativeAge } from "../../ui/words/time-words.ts";
import { ChoosingInput } from "../controls/choosing-input.tsx";
import { Dialog } from "../controls/dialog.tsx";
import { LatestAnswer } from "../controls/latest-answer.ts";
import { TroubleNotice } from "../controls/trouble-notice.tsx";
import type { Shell } from "../state/shell.ts";
import type { Trouble } from "../state/trouble.ts";
import {
  countWords,
  groupHits,
  type HitGroup,
  hitKey,
  KIND_CHOICES,
  KIND_WORDS,
  NO_WISH,
  type SearchWish,
  searchRequest,
} from "./search-query.ts";

/** Full-text search over all sessions, usable by keyboard alone. */
export function SearchDialog({ shell, query = "" }: { shell: Shell; query?: string | undefined }) {
  const [wish, setWish] = useState<SearchWish>({ ...NO_WISH, query });
  const { searching, isBehind, again } = useSearch(shell, wish);
  const [active, setActive] = useState(0);
  const change = (changed: Partial<SearchWish>) => {
    setWish({ ...wish, ...changed });
    setActive(0);
  };
  const groups = groupHits(searching.phase === "found" ? searching.hits : []);
  const hits = groups.flatMap((group) => group.hits);
  const place = Math.min(active, hits.length - 1);
  const current = hits[place];
  const go = (hit: SearchHit | undefined) => {
    if (hit) void openHit(shell, hit);
  };
  return (
    <Dialog title="Search" wide onClose={() => shell.closeDialog()}>
      <div class="search-head">
        <SearchField
          query={wish.query}
          current={current}
          onType={(query) => change({ query })}
          onStep={(steps) => setActive((place + steps + hits.length) % hits.length)}
          onEnter={() => go(current)}
        />
        <SearchFilters shell={shell} wish={wish} onChange={change} />
      </div>
      <div class="search-body" aria-busy={isBehind}>
        <SearchResults
          shell={shell}
          groups={groups}
          current={current}
          onOpen={go}
          onPoint={(hit) => setActive(hits.indexOf(hit))}
        />
        <Instead
          searching={searching}
          wish={wish}
          isBehind={isBehind}
          onAgain={again}
          onArchived={() => change({ includeArchived: true })}
        />
      </div>
      <footer class="dialog-foot search-foot">
        <span role="status">{statusWords(searching, isBehind, hits.length, groups.length)}</span>
        <span class="spacer" />
        <span class="faint wide-only" aria-hidden="true">
          <kbd>↑</kbd> <kbd>↓</kbd> choose <kbd>Enter</kbd> open <kbd>Esc</kbd> close
        </span>
      </footer>
    </Dialog>
  );
}

interface InsteadProps {
  readonly searching: Searching;
  readonly wish: SearchWish;
  readonly isBehind: boolean;
  readonly onAgain: () => void;
  readonly onArchived: () => void;
}

/** Shown instead of results. */
function Instead({ searching, wish, isBehind, onAgain, onArchived }: InsteadProps) {
  if (searching.phase === "failed")
    return (
      <TroubleNotice trouble={searching.trouble}>
        <button type="button" class="button" onClick={onAgain}>
          Try again
        </button>
      </TroubleNotice>
    );
  if (searching.phase === "found" && searching.hits.length > 0) return null;
  if (isBehind) return <p class="search-empty">Searching…</p>;
  if (searching.phase === "nothing-asked")
    return (
      <p class="search-empty">Searches titles, messages, answers, thinking, tool input and output, and file paths.</p>
    );
  return (
    <div class="search-empty">
      <p>No results. Try fewer or shorter words.</p>
      {!wish.includeArchived && (
        <button type="button" class="button" onClick={onArchived}>
          Include archived sessions
        </button>
      )}
    </div>
  );
}

function statusWords({ phase }: Searching, isBehind: boolean, hits: number, sessions: number): string {
  if (isBehind) return "Searching…";
  if (phase !== "found") return "";
  return hits === 0 ? "No results" : countWords(hits, sessions);
}

interface SearchFieldProps {
  readonly query: string;
  /** The hit that Enter opens. */
  readonly current: SearchHit | undefined;
  readonly onType: (query: string) => void;
  readonly onStep: (steps: 1 | -1) => void;
  readonly onEnter: () => void;
}

function SearchField({ query, current, ...on }: SearchFieldProps) {
  return (
    <div class="field">
      <Icon name="search" class="icon-sm" />
      <ChoosingInput
        label="Search all sessions"
        placeholder={'Words, or a "phrase"'}
        charsMax={SEARCH_QUERY_CHARS_MAX}
        text={query}
        listId={RESULTS_ID}
        currentId={current && hitKey(current)}
        {...on}
      />
    </div>
  );
}

/** Opens the entry of a hit. An archived session is unarchived first. */
async function openHit(shell: Shell, { sessionId, projectId, entryId, archived }: SearchHit): Promise<void> {
  shell.closeDialog();
  if (archived) {
    // A tab needs the row of its session.
    await shell.attempt({ type: "session:list", projectId, includeArchived: true });
    if ((await shell.attempt({ type: "session:unarchive", sessionId })) === null) return;
  }
  if (entryId === undefined) shell.open(sessionId, { focus: true });
  else shell.openAt(sessionId, entryId);
}

/** Sends one request after fast typing, not one per letter. */
const TYPING_PAUSE_MS = 80;

type Searching =
  | { readonly phase: "nothing-asked" }
  | { readonly phase: "found"; readonly hits: readonly SearchHit[] }
  | { readonly phase: "failed"; readonly trouble: Trouble };

interface SearchState {
  readonly searching: Searching;
  /** The shown results belong to an earlier query. */
  readonly isBehind: boolean;
  readonly again: () => void;
}

/** The results of the newest query; until they arrive, those of the one before stay. */
function useSearch(shell: Shell, wish: SearchWish): SearchState {
  const [shown, setShown] = useState<{ readonly searching: Searching; readonly of: string }>({
    searching: { phase: "nothing-asked" },
    of: "",
  });
  const [round, setRound] = useState(0);
  const latest = useRef(new LatestAnswer()).current;
  const request = searchRequest(wish);
  const question = JSON.stringify([request, round]);
  useEffect(() => {
    latest.forget();
    const show = (searching: Searching) => setShown({ searching, of: question });
    if (request === null) {
      show({ phase: "nothing-asked" });
      return;
    }
    const timer = setTimeout(() => void latest.ask(() => search(shell, request), show), TYPING_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [question]);
  const isBehind = request !== null && shown.of !== question;
  return { searching: shown.searching, isBehind, again: () => setRound(round + 1) };
}

async function search(shell: Shell, request: NonNullable<ReturnType<typeof searchRequest>>): Promise<Searching> {
  let trouble: Trouble = { code: null, message: "Search failed. Try again." };
  const answer = await shell.attempt(request, (_words, told) => {
    trouble = told;
  });
  return answer?.type === "search:results" ? { phase: "found", hits: answer.hits } : { phase: "failed", trouble };
}

interface SearchFiltersProps {
  readonly shell: Shell;
  readonly wish: SearchWish;
  readonly onChange: (changed: Partial<SearchWish>) => void;
}

/** Filters: project, agent, kind, time and file. */
function SearchFilters({ shell, wish, onChange }: SearchFiltersProps) {
  const { projects, agents, sessions } = shell.server.value;
  const used = new Set([...sessions.values()].map(({ cliType }) => cliType));
  const offered = agents.filter(
    ({ id, availability }) => availability === "ready" || used.has(id) || id === wish.cliType,
  );
  return (
    <fieldset class="search-filters" aria-label="Filters">
      <Named
        label="Project"
        all="All projects"
        choices={projects}
        value={wish.projectId ?? ""}
        onChoose={(chosen) => onChange({ projectId: projects.find(({ id }) => id === chosen)?.id ?? null })}
      />
      <Named
        label="Agent"
        all="All agents"
        choices={offered}
        value={wish.cliType ?? ""}
        onChoose={(chosen) => onChange({ cliType: agents.find(({ id }) => id === chosen)?.id ?? null })}
      />
      <Choice label="Kind" value={String(wish.kind)} onChoose={(chosen) => onChange({ kind: Number(chosen) })}>
        {KIND_CHOICES.map(({ words }, index) => (
          <option key={words} value={String(index)}>
            {words}
          </option>
        ))}
      </Choice>
      <Day label="From" value={wish.from} onChoose={(from) => onChange({ from })} />
      <Day label="To" value={wish.to} onChoose={(to) => onChange({ to })} />
      <input
        type="text"
        class="native-select search-path"
        aria-label="File touched"
        placeholder="File touched"
        autocomplete="off"
        spellcheck={false}
        value={wish.path}
        onInput={(event) => onChange({ path: event.currentTarget.value })}
      />
      <label class="search-check">
        <input
          type="checkbox"
          checked={wish.includeArchived}
          onChange={(event) => onChange({ includeArchived: event.currentTarget.checked })}
        />
        Include archived
      </label>
    </fieldset>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly onChoose: (value: string) => void;
  readonly children?: ComponentChildren;
}

interface NamedProps extends ChoiceProps {
  readonly all: string;
  readonly choices: readonly { readonly id: string; readonly name: string }[];
}

function Named({ all, choices, ...choice }: NamedProps) {
  return (
    <Choice {...choice}>
      <option value="">{all}</option>
      {choices.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </Choice>
  );
}

function Choice({ label, value, onChoose, children }: ChoiceProps) {
  return (
    <select
      class="native-select"
      aria-label={label}
      value={value}
      onChange={(event) => onChoose(event.currentTarget.value)}
    >
      {children}
    </select>
  );
}

function Day({ label, value, onChoose }: ChoiceProps) {
  return (
    <label class="search-day">
      {label}
      <input
        type="date"
        class="native-select"
        data-empty={value === "" ? "" : undefined}
        value={value}
        onInput={(event) => onChoose(event.currentTarget.value)}
      />
    </label>
  );
}

const RESULTS_ID = "search-results";

interface SearchResultsProps {
  readonly shell: Shell;
  readonly groups: readonly HitGroup[];
  readonly current: SearchHit | undefined;
  readonly onOpen: (hit: SearchHit) => void;
  readonly onPoint: (hit: SearchHit) => void;
}

/** The hits grouped by session. The focus stays in the field: the chosen one is marked. */
function SearchResults({ shell, groups, current, onOpen, onPoint }: SearchResultsProps) {
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
        <span class="tag" title="Opening it unarchives it">
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
