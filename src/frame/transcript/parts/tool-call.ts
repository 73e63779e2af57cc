import { durationWords, ownTimeMs, toolLine } from "../../../presentation/tool-line.ts";
import type { Part, ToolCallEntry } from "../../../protocol/entry.ts";
import { createElement } from "../../../ui/create-element.ts";
import { compareTexts } from "../../../ui/diff/compare-texts.ts";
import { createIcon } from "../../../ui/icons/create-icon.ts";
import type { IconName } from "../../../ui/icons/icon-shapes.ts";
import { runningClock } from "../../../ui/words/time-words.ts";
import { DisclosureLine } from "../disclosure-line.ts";
import { placeChildren } from "../place-children.ts";
import type { KeyedNode, RowContext, RowNode } from "../row-node.ts";
import type { EntryRow } from "../rows.ts";
import { createArticle, markArticle } from "./article.ts";
import { ToolBody } from "./tool-body.ts";

const ERROR_CHARS_MAX = 80;
/** Shorter durations are not shown. */
const WORTH_SAYING_MS = 50;
/** For calls that changed more files, lines are not counted. */
const COUNTED_DIFFS_MAX = 20;

type DiffPart = Extract<Part, { type: "diff" }>;
interface LinesChanged {
  readonly added: number;
  readonly removed: number;
}
const LINES_CHANGED = new WeakMap<DiffPart, LinesChanged>();

/** A tool call: one line with name, target and status; it expands to input and output. */
export class ToolCallNode implements RowNode<EntryRow> {
  readonly element = createArticle("tool-call", "entry-tool");
  readonly #context: RowContext;
  readonly #line: DisclosureLine;
  #body: ToolBody | null = null;
  #subAgent: SubAgentBlock | null = null;
  #stop: HTMLButtonElement | null = null;
  #row: EntryRow;

  constructor(row: EntryRow, context: RowContext) {
    this.#context = context;
    this.#row = row;
    this.#line = new DisclosureLine((isOpen) =>
      context.toggle(this.#row.key, isOpen, this.#line.button, () => this.#show(isOpen)),
    );
    this.element.append(this.#line.button);
    this.update(row);
  }

  update(row: EntryRow): void {
    if (row.entry.type !== "tool-call") return;
    const { entry } = row;
    this.#row = row;
    markArticle(this.element, row);
    this.element.dataset["status"] = entry.status;
    this.#line.setLead(row.asks ? "waiting" : entry.status === "running" ? "working" : toolIcon(entry.kind));
    const { name, target } = toolLine(entry, this.#context.directory());
    this.#line.setName(name, target, toolLine(entry).target);
    this.#countLines(entry);
    this.tick(this.#context.now());
    this.#show(this.#context.isOpened(row.key) ?? false);
    this.#offerStop(entry);
    this.#showSubAgent(row);
  }

  /** Beside the line, which is a button itself. The frame handles the click by the button's data attribute. */
  #offerStop({ status, subAgent, toolCallId, name }: ToolCallEntry): void {
    const canStop = status === "running" && (subAgent?.canStop ?? false);
    this.element.classList.toggle("can-stop", canStop);
    if (!canStop) {
      this.#stop?.remove();
      this.#stop = null;
      return;
    }
    if (this.#stop === null) {
      this.#stop = createElement("button", "button small ghost stop-sub-agent", createIcon("stop", "icon-sm"), "Stop");
      this.#stop.type = "button";
      this.#stop.title = "Stop this sub-agent; the turn goes on";
      this.#line.button.after(this.#stop);
    }
    this.#stop.setAttribute("aria-label", `Stop ${name}`);
    this.#stop.dataset["stopSubAgent"] = toolCallId;
  }

  tick(now: number): void {
    this.#subAgent?.tick(now);
    const { entry, asks } = this.#row;
    if (entry.type !== "tool-call") return;
    const time = asks ? "" : timeWords(entry, now);
    const { permission, answered } = entry;
    const lines = changedLines(entry);
    const signature = `${asks} ${entry.status} ${time} ${entry.error ?? ""} ${permission?.answer} ${answered?.person.name} ${lines?.added} ${lines?.removed}`;
    this.#line.setEnd(signature, () =>
      asks
        ? [createElement("span", "waiting-text", "waiting for you")]
        : [...ruleTag(entry), ...personTag(entry), ...lineCounts(lines), ...endOf(entry, time)],
    );
  }

  /** Counts the changed lines after this task, so that a session with many changes is painted first. */
  #countLines(entry: ToolCallEntry): void {
    const uncounted = countedDiffs(entry).filter((part) => !LINES_CHANGED.has(part));
    if (uncounted.length === 0) return;
    setTimeout(() => {
      for (const part of uncounted)
        compareTexts(part, ({ added, removed }) => {
          LINES_CHANGED.set(part, { added, removed });
          this.tick(this.#context.now());
        });
    });
  }

  #show(isOpen: boolean): void {
    this.#line.isOpen = isOpen;
    if (!isOpen) {
      this.#body?.element.remove();
      this.#body = null;
      return;
    }
    if (this.#body === null) {
      this.#body = new ToolBody(this.#context);
      (this.#stop ?? this.#line.button).after(this.#body.element);
    }
    const { entry, children } = this.#row;
    if (entry.type === "tool-call") this.#body.update(entry, children.length > 0);
  }

  #showSubAgent(row: EntryRow): void {
    if (row.children.length === 0) return;
    if (this.#subAgent === null) {
      this.#subAgent = new SubAgentBlock(row, this.#context);
      this.element.append(this.#subAgent.element);
    }
    this.#subAgent.update(row);
  }
}

/** A rule answered this call's request; the tooltip and the permissions dialog name the rule. */
function ruleTag({ permission }: ToolCallEntry): HTMLElement[] {
  if (permission === undefined) return [];
  const tag = createElement("span", "tag", `${permission.answer} by rule`);
  tag.title = permission.why;
  return [tag];
}

/** Which of several people answered this call's request. */
function personTag({ answered }: ToolCallEntry): HTMLElement[] {
  if (answered === undefined) return [];
  return [createElement("span", "tag plain", `${answered.answer} by ${answered.person.name}`)];
}

/** Only complete diffs of completed calls. */
function countedDiffs({ status, parts = [] }: ToolCallEntry): readonly DiffPart[] {
  const diffs = parts.filter((part): part is DiffPart => part.type === "diff");
  const isKnown = diffs.length <= COUNTED_DIFFS_MAX && diffs.every(({ truncated }) => truncated === undefined);
  return status === "complete" && isKnown ? diffs : [];
}

function changedLines(entry: ToolCallEntry): LinesChanged | null {
  const counts = countedDiffs(entry).map((part) => LINES_CHANGED.get(part));
  const known = counts.filter((count) => count !== undefined);
  if (known.length === 0 || known.length < counts.length) return null;
  return {
    added: known.reduce((sum, { added }) => sum + added, 0),
    removed: known.reduce((sum, { removed }) => sum + removed, 0),
  };
}

function lineCounts(lines: LinesChanged | null): HTMLElement[] {
  if (lines === null) return [];
  const { added, removed } = lines;
  const counts = createElement(
    "span",
    "diff-stats",
    createElement("span", "stat-add", `+${added.toLocaleString("en")}`),
    " ",
    createElement("span", "stat-del", `−${removed.toLocaleString("en")}`),
  );
  counts.title = `${added.toLocaleString("en")} lines added, ${removed.toLocaleString("en")} removed`;
  return [counts];
}

function timeWords(entry: ToolCallEntry, now: number): string {
  const { status, startedAt, waitedMs = 0 } = entry;
  if (startedAt === undefined) return "";
  if (status === "running") return runningClock(startedAt, now - waitedMs);
  const tookMs = ownTimeMs(entry) ?? 0;
  return tookMs < WORTH_SAYING_MS ? "" : durationWords(tookMs);
}

function endOf(entry: ToolCallEntry, time: string): (Node | string)[] {
  switch (entry.status) {
    case "running":
      return [hiddenWord("Running"), time];
    case "complete":
      return [createElement("span", "tick", createIcon("check", "icon-sm"), hiddenWord("Complete")), time];
    case "error": {
      const words = firstLine(entry.error ?? "");
      const reason = createElement("span", "fail", createIcon("fail", "icon-sm"), hiddenWord("Failed"));
      return [reason, ...(words === "" ? [] : [createElement("span", "reason", words)]), time];
    }
    case "cancelled":
      return [createElement("span", "", entry.unfinished ? "not finished" : "cancelled"), time];
    default:
      return entry.status satisfies never;
  }
}

/** The mark as text, for screen readers. */
function hiddenWord(word: string): HTMLElement {
  return createElement("span", "visually-hidden", word);
}

function firstLine(text: string): string {
  const line = text.trim().split("\n", 1)[0] ?? "";
  return line.length > ERROR_CHARS_MAX ? `${line.slice(0, ERROR_CHARS_MAX)}…` : line;
}

const ICON_OF_KIND: Readonly<Record<string, IconName>> = {
  read: "read",
  edit: "edit",
  delete: "trash",
  move: "file",
  search: "search",
  execute: "terminal",
  think: "brain",
  fetch: "globe",
  switch_mode: "settings",
};

export function toolIcon(kind: string | undefined): IconName {
  return (kind === undefined ? undefined : ICON_OF_KIND[kind]) ?? "bolt";
}

/** The steps of a sub-agent, below its call: open while it works, then collapsed to a count. */
class SubAgentBlock {
  readonly element = createElement("div", "sub-agent");
  readonly #context: RowContext;
  readonly #line: DisclosureLine;
  readonly #list = createElement("div", "sub-agent-list");
  readonly #nodes = new Map<string, { node: KeyedNode; row: EntryRow }>();
  #parent: EntryRow;

  constructor(parent: EntryRow, context: RowContext) {
    this.#context = context;
    this.#parent = parent;
    this.#line = new DisclosureLine((isOpen) =>
      context.toggle(this.#key(), isOpen, this.#line.button, () => this.#show(isOpen)),
    );
    this.#line.setLead("branch");
    this.element.append(this.#line.button, this.#list);
  }

  update(parent: EntryRow): void {
    this.#parent = parent;
    const count = countOf(parent.children);
    this.#line.setName(`${count.toLocaleString("en")} ${count === 1 ? "step" : "steps"} of a sub-agent`);
    this.#show(this.#context.isOpened(this.#key()) ?? (isAtWork(parent) || this.#staysForReader()));
  }

  tick(now: number): void {
    for (const { node } of this.#nodes.values()) node.tick(now);
  }

  #key(): string {
    return `${this.#parent.key}/sub-agent`;
  }

  /** Closing it while it is being read would remove the text. */
  #staysForReader(): boolean {
    return this.#line.isOpen && this.#context.isBeingRead(this.element);
  }

  #show(isOpen: boolean): void {
    this.#line.isOpen = isOpen;
    this.#list.hidden = !isOpen;
    if (isOpen)
      placeChildren(
        this.#list,
        this.#parent.children.map((row) => this.#node(row)),
      );
    else {
      this.#list.replaceChildren();
      this.#nodes.clear();
    }
  }

  #node(row: EntryRow): HTMLElement {
    const known = this.#nodes.get(row.key);
    if (known && (known.row === row || known.node.update(row))) {
      known.row = row;
      return known.node.element;
    }
    const node = this.#context.createNode(row);
    this.#nodes.set(row.key, { node, row });
    return node.element;
  }
}

function countOf(rows: readonly EntryRow[]): number {
  return rows.reduce((count, { children }) => count + 1 + countOf(children), 0);
}

function isAtWork({ entry, children }: EntryRow): boolean {
  const isRunning = entry.type === "tool-call" && entry.status === "running";
  return isRunning || children.some((child) => child.live || child.asks);
}
