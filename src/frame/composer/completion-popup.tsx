import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Part } from "../../protocol/entry.ts";
import { ARGUMENTS, fillSnippet } from "../../protocol/fill-snippet.ts";
import type { ShellToPortlet } from "../../protocol/portlet-messages.ts";
import { sessionMention } from "../../protocol/session-mention.ts";
import type { SlashCommand } from "../../protocol/session-parts.ts";
import { Icon } from "../../ui/icons/icon.tsx";
import type { IconName } from "../../ui/icons/icon-shapes.ts";
import { type PortletModel, usePiece } from "../portlet-model.ts";

type Offers = Pick<Extract<ShellToPortlet, { type: "portlet:offers" }>, "snippets" | "sessions">;

const LIST_ID = "completions";
const GAP_PX = 6;
/** The maximum share of the transcript that it covers. */
const LIST_HEIGHT_MAX_PX = 280;
const LIST_PART_MAX = 0.4;

interface CompletionOption {
  readonly key: string;
  readonly label: string;
  readonly detail: string;
  readonly hint?: string;
  readonly insert: string;
  readonly link?: Part;
  readonly icon?: IconName;
  /** Its kind, in a list of several kinds. */
  readonly tag?: string;
  /** A snippet: its text replaces the message. */
  readonly body?: string;
}

interface CompletionPopupProps {
  readonly model: PortletModel;
  readonly field: HTMLTextAreaElement;
  readonly token: CompletionToken;
  readonly close: () => void;
}

/** Completions of the word at the cursor, above the field; the best match is at the bottom. */
export function CompletionPopup(props: CompletionPopupProps) {
  return props.token.kind === "command" ? <CommandPopup {...props} /> : <FilePopup {...props} />;
}

function CommandPopup(props: CompletionPopupProps) {
  const commands = usePiece(props.model, (state) => state.session.config.commands);
  const { snippets } = useOffers(props.model);
  const own = snippets.map(({ name, body }) => ({ name, body, description: firstLine(body) }));
  const options = filterCommands<SlashCommand & { readonly body?: string }>(
    [...commands, ...own],
    props.token.query,
  ).map(({ name, description, hint, body }) => ({
    key: body === undefined ? name : `snippet ${name}`,
    label: `/${name}`,
    detail: description,
    ...(hint === undefined ? {} : { hint }),
    ...(body === undefined ? {} : { body, tag: "snippet" }),
    insert: `/${name}`,
  }));
  return <OptionList {...props} name="Commands" options={options} isBusy={false} />;
}

function firstLine(text: string): string {
  return text.trim().split("\n", 1)[0] ?? "";
}

const NO_OFFERS: Offers = { snippets: [], sessions: [] };

/** Snippets and sessions, as of the opening of the list. */
function useOffers({ store }: PortletModel): Offers {
  const [offers, setOffers] = useState(NO_OFFERS);
  useLayoutEffect(() => {
    store.onOffers = setOffers;
    store.ask({ type: "portlet:offers-wanted" });
    return () => {
      store.onOffers = null;
    };
  }, []);
  return offers;
}

const SESSIONS_SHOWN_MAX = 5;

/** Sessions whose title contains the typed letters; a mention is one word, so spaces of the title do not count. */
export function filterSessions(sessions: Offers["sessions"], query: string): Offers["sessions"] {
  const letters = (text: string) => text.toLowerCase().replace(/[\s-]+/g, "");
  const wanted = letters(query);
  return sessions.filter(({ title }) => letters(title).includes(wanted)).slice(0, SESSIONS_SHOWN_MAX);
}

type Found = Extract<ShellToPortlet, { type: "files:found" }>;

function FilePopup(props: CompletionPopupProps) {
  const { store } = props.model;
  const { query } = props.token;
  const [found, setFound] = useState<Found | null>(null);
  const wanted = useRef(query);
  wanted.current = query;
  useLayoutEffect(() => {
    // Answers may overtake each other: only the one for the current text counts.
    store.onFiles = (answer) => {
      if (answer.query === wanted.current) setFound(answer);
    };
    return () => {
      store.onFiles = null;
    };
  }, []);
  useLayoutEffect(() => store.ask({ type: "files:search", query }), [query]);
  const { sessions } = useOffers(props.model);
  const files = (found?.files ?? []).map(({ path, uri }) => ({
    key: path,
    label: path.slice(path.lastIndexOf("/") + 1),
    detail: path.slice(0, Math.max(0, path.lastIndexOf("/"))),
    insert: `@${path}`,
    link: { type: "link" as const, uri, name: path },
    icon: "file" as const,
  }));
  const mentions = filterSessions(sessions, query).map(({ sessionId, title, project }) => {
    const link = sessionMention(sessionId, title);
    const shown = { label: link.name, detail: project, icon: "message" as const, tag: "session" };
    return { ...shown, key: `session ${sessionId}`, insert: `@${link.name}`, link };
  });
  const options = [...files, ...mentions];
  return <OptionList {...props} name="Files and sessions" options={options} isBusy={found?.query !== query} />;
}

interface OptionListProps extends CompletionPopupProps {
  readonly name: string;
  readonly options: readonly CompletionOption[];
  readonly isBusy: boolean;
}

function OptionList({ model, field, token, close, name, options, isBusy }: OptionListProps) {
  const list = useRef<HTMLDivElement>(null);
  const [selected, setSelected] = useState(0);
  // In a layout effect: an arrow key pressed after the paint counts.
  useLayoutEffect(() => setSelected(0), [token.query, token.kind]);
  const count = options.length;
  const active = Math.min(selected, Math.max(0, count - 1));
  const choose = (option: CompletionOption | undefined) => {
    if (option === undefined) return;
    if (option.body === undefined) {
      const space = field.value[token.to] === " " ? "" : " ";
      field.setRangeText(option.insert + space, token.from, token.to, "end");
    } else insertSnippet(field, token, option.body);
    if (option.link) model.store.change({ type: "attached", parts: [option.link] });
    model.store.type(field.value);
    close();
  };
  // Enter or Tab, pressed before the options for this text had loaded: it is applied when they have.
  const early = useRef<{ readonly key: string; readonly token: CompletionToken } | null>(null);
  useLayoutEffect(() => {
    const pressed = early.current;
    if (isBusy || pressed === null) return;
    early.current = null;
    if (!isSameToken(pressed.token, token)) return;
    if (count > 0) choose(options[active]);
    else if (pressed.key === "Enter") field.form?.requestSubmit();
  });
  const onKey = (event: KeyboardEvent) => {
    const { key, ctrlKey, metaKey, altKey, shiftKey } = event;
    const isComposing = event.isComposing || event.keyCode === 229;
    const hasModifier = ctrlKey || metaKey || altKey || shiftKey;
    const intent = completionIntent(key, hasModifier, { count, isBusy, isComposing });
    if (intent === null) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (intent === "choose") choose(options[active]);
    else if (intent === "close") close();
    else if (intent === "wait") early.current = { key, token };
    else setSelected(moveSelection(active, count, intent === "next" ? 1 : -1));
  };
  useLayoutEffect(() => {
    field.addEventListener("keydown", onKey, true);
    return () => field.removeEventListener("keydown", onKey, true);
  });
  usePlace(list, field, count);
  useFieldMarks(field, count > 0 ? optionId(active) : null);
  return (
    <>
      <span class="visually-hidden" role="status">
        {count > 0 && !isBusy ? `${count} ${name.toLowerCase()}` : ""}
      </span>
      {/* It scrolls, and scrollable content must be reachable by keyboard. */}
      <div class="completions" id={LIST_ID} ref={list} role="listbox" tabIndex={0} aria-label={name} popover="manual">
        {options.map((option, index) => (
          <OptionRow key={option.key} option={option} index={index} isActive={index === active} choose={choose} />
        ))}
      </div>
    </>
  );
}

interface OptionRowProps {
  readonly option: CompletionOption;
  readonly index: number;
  readonly isActive: boolean;
  readonly choose: (option: CompletionOption) => void;
}

function OptionRow({ option, index, isActive, choose }: OptionRowProps) {
  const row = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isActive) row.current?.scrollIntoView({ block: "nearest" });
  }, [isActive]);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys and keeps the focus
    // biome-ignore lint/a11y/useFocusableInteractive: the field refers to it with aria-activedescendant
    <div
      class="completion"
      id={optionId(index)}
      ref={row}
      role="option"
      aria-selected={isActive}
      onMouseDown={(event) => event.preventDefault()}
      onClick={() => choose(option)}
    >
      {option.icon && <Icon name={option.icon} class="icon-sm" />}
      <span class="completion-label">{option.label}</span>
      {option.tag !== undefined && <span class="tag">{option.tag}</span>}
      {option.hint !== undefined && <span class="completion-hint">{option.hint}</span>}
      <span class="completion-detail">{option.detail}</span>
    </div>
  );
}

/** The text as if it was typed. What follows the name are its arguments; without any, their place is selected. */
function insertSnippet(field: HTMLTextAreaElement, token: CompletionToken, body: string): void {
  const args = field.value.slice(token.to).trim();
  const text = args === "" ? body : fillSnippet(body, args);
  field.setRangeText(text, 0, field.value.length, "end");
  const place = text.indexOf(ARGUMENTS);
  if (place !== -1) field.setSelectionRange(place, place + ARGUMENTS.length);
}

function optionId(index: number): string {
  return `completion-${index}`;
}

/** Above the field and as wide, in the top layer: nothing clips it, and nothing moves for it. */
function usePlace(list: { current: HTMLDivElement | null }, field: HTMLTextAreaElement, count: number): void {
  useLayoutEffect(() => {
    const { current } = list;
    if (current === null) return;
    if (count === 0) {
      if (current.matches(":popover-open")) current.hidePopover();
      return;
    }
    const place = () => placeAbove(current, field);
    place();
    if (!current.matches(":popover-open")) current.showPopover();
    window.addEventListener("resize", place);
    return () => window.removeEventListener("resize", place);
  });
}

function placeAbove({ style }: HTMLElement, field: HTMLTextAreaElement): void {
  const { left, width } = (field.closest("form") ?? field).getBoundingClientRect();
  const { top } = field.getBoundingClientRect();
  style.insetInlineStart = `${left}px`;
  style.width = `${width}px`;
  style.bottom = `${window.innerHeight - top + GAP_PX}px`;
  const limit = Math.min(LIST_HEIGHT_MAX_PX, window.innerHeight * LIST_PART_MAX, top - GAP_PX * 2);
  style.maxHeight = `${Math.max(0, limit)}px`;
}

/** The field keeps the focus; these attributes tell a screen reader what is selected in the list. */
function useFieldMarks(field: HTMLTextAreaElement, active: string | null): void {
  useLayoutEffect(() => {
    if (active === null) return;
    field.setAttribute("aria-autocomplete", "list");
    field.setAttribute("aria-controls", LIST_ID);
    field.setAttribute("aria-activedescendant", active);
    return () => {
      for (const mark of ["aria-autocomplete", "aria-controls", "aria-activedescendant"]) field.removeAttribute(mark);
    };
  }, [active]);
}

type CompletionIntent = "next" | "previous" | "choose" | "close" | "wait";

interface CompletionScene {
  readonly count: number;
  /** The shown options do not match the current text yet. */
  readonly isBusy: boolean;
  readonly isComposing: boolean;
}

/** The meaning of a key while the list is open; null leaves it to the field. "wait": until the options are there. */
export function completionIntent(
  key: string,
  hasModifier: boolean,
  { count, isBusy, isComposing }: CompletionScene,
): CompletionIntent | null {
  if (isComposing || hasModifier) return null;
  if (key === "Escape") return count > 0 || isBusy ? "close" : null;
  if (key === "Enter" || key === "Tab") {
    if (isBusy) return "wait";
    return count > 0 ? "choose" : null;
  }
  if (count === 0) return null;
  // The best match is at the bottom of the list, next to the text: the next one is above it.
  if (key === "ArrowUp") return "next";
  return key === "ArrowDown" ? "previous" : null;
}

/** Wraps around. */
export function moveSelection(selected: number, count: number, by: 1 | -1): number {
  return count === 0 ? 0 : (selected + by + count) % count;
}

const SHOWN_COMMANDS_MAX = 50;

/** Matching commands: names that start with the query, then names that contain it, then matching descriptions. */
export function filterCommands<Command extends SlashCommand>(
  commands: readonly Command[],
  query: string,
): readonly Command[] {
  const words = query.toLowerCase();
  const rank = ({ name, description }: SlashCommand): number => {
    const place = name.toLowerCase().indexOf(words);
    if (place === 0) return 0;
    if (place > 0) return 1;
    return words.length > 1 && description.toLowerCase().includes(words) ? 2 : 3;
  };
  return [0, 1, 2]
    .flatMap((wanted) => commands.filter((command) => rank(command) === wanted))
    .slice(0, SHOWN_COMMANDS_MAX);
}

/** The word at the cursor that can be completed, and its position. */
export interface CompletionToken {
  readonly kind: "command" | "file";
  /** The text after the `/` or the `@`. */
  readonly query: string;
  readonly from: number;
  readonly to: number;
}

const QUERY_CHARS_MAX = 200;
/** An `@` inside a word is an address, not a mention. */
const MENTION = /(?:^|[\s([{"'`])@([^\s@]*)$/;

/** A command only at the start of the message, a file at any word. */
export function tokenAt(text: string, caret: number): CompletionToken | null {
  const before = text.slice(0, caret);
  const rest = /^\S*/.exec(text.slice(caret))?.[0] ?? "";
  const to = caret + rest.length;
  const command = /^\/(\S*)$/.exec(before)?.[1];
  if (command !== undefined) return { kind: "command", query: command + rest, from: 0, to };
  const file = MENTION.exec(before)?.[1];
  if (file === undefined || file.length > QUERY_CHARS_MAX) return null;
  return { kind: "file", query: file, from: caret - file.length - 1, to };
}

export function isSameToken(one: CompletionToken | null, other: CompletionToken | null): boolean {
  if (one === null || other === null) return one === other;
  return one.kind === other.kind && one.from === other.from && one.to === other.to && one.query === other.query;
}
