import type { Entry, EntryOf } from "../../protocol/entry.ts";
import { createElement, setText } from "../../ui/create-element.ts";
import { AssistantNode, ThinkingNode } from "./parts/assistant.ts";
import { createBranchPoint } from "./parts/branch-point.ts";
import { ChangesNode } from "./parts/changes.ts";
import { NoticeNode } from "./parts/notice.ts";
import { PlanNode } from "./parts/plan.ts";
import { ToolCallNode } from "./parts/tool-call.ts";
import { UserNode } from "./parts/user.ts";
import { placeChildren } from "./place-children.ts";
import type { KeyedNode, RowContext, RowNode } from "./row-node.ts";
import type { EntryRow, Gap, Row, TailRow } from "./rows.ts";

/** The nodes on screen, by key. An unchanged row object costs one comparison. */
export class NodePool {
  readonly #context: RowContext;
  readonly #nodes = new Map<string, { node: KeyedNode; row: Row }>();

  constructor(context: Omit<RowContext, "createNode">) {
    this.#context = { ...context, createNode: (row) => createRowNode(row, this.#context) };
  }

  /** The node of a row, created or updated. */
  show(row: Row): HTMLElement {
    const known = this.#nodes.get(row.key);
    if (known?.row === row) return known.node.element;
    if (known?.node.update(row)) {
      known.row = row;
      return known.node.element;
    }
    const node = createRowNode(row, this.#context);
    if (known) known.node.element.replaceWith(node.element);
    this.#nodes.set(row.key, { node, row });
    return node.element;
  }

  /** The element of a row that is on screen. */
  elementOf(key: string): HTMLElement | null {
    return this.#nodes.get(key)?.node.element ?? null;
  }

  /** Updates a row if it is on screen. */
  refresh(row: Row): void {
    if (this.#nodes.has(row.key)) this.show(row);
  }

  release(key: string): void {
    this.#nodes.delete(key);
  }

  /** Drops nodes that are no longer in the DOM. */
  releaseDetached(): void {
    for (const [key, { node }] of this.#nodes) if (!node.element.isConnected) this.#nodes.delete(key);
  }

  tick(now: number): void {
    for (const { node } of this.#nodes.values()) node.tick(now);
  }

  /** Makes `rows` the children of `container`, moving only what is out of place. */
  place(container: Element, rows: readonly Row[]): void {
    placeChildren(
      container,
      rows.map((row) => this.show(row)),
    );
  }
}

/** One kind of node for each kind of row; an article names its author. */
function createRowNode(row: Row, context: RowContext): KeyedNode {
  const node = createNode(row, context);
  const author = authorOf(row, context);
  if (author !== null) node.element.setAttribute("aria-label", author);
  return row.kind === "entry" || row.kind === "pending" ? withBranchPoints(node, row) : node;
}

/** The chips of sessions that began before and after an entry, whatever its kind. */
function withBranchPoints(node: KeyedNode, row: Row): KeyedNode {
  const { element } = node;
  let shown: Pick<EntryRow, "branches" | "branchesBefore" | "began"> = {};
  const show = (next: Row) => {
    if (next.kind !== "entry") return;
    const { branches, branchesBefore, began } = next;
    const chips = element.querySelectorAll(":scope > .branch-point");
    const wanted = [branches, branchesBefore, began].filter((one) => one !== undefined).length;
    const isSame = shown.branches === branches && shown.branchesBefore === branchesBefore && shown.began === began;
    if (chips.length === wanted && isSame) return;
    shown = { branches, branchesBefore, began };
    for (const old of chips) old.remove();
    if (branchesBefore) element.prepend(createBranchPoint(branchesBefore, true));
    if (branches) element.append(createBranchPoint(branches, false));
    if (began !== undefined)
      element.append(createElement("div", "branch-point began", createElement("span", "", began)));
  };
  show(row);
  return {
    element,
    update: (next) => {
      const isUpdated = node.update(next);
      if (isUpdated) show(next);
      return isUpdated;
    },
    tick: (now) => node.tick(now),
  };
}

function authorOf(row: Row, context: RowContext): string | null {
  if (row.kind === "pending") return "You";
  if (row.kind !== "entry") return null;
  return ENTRY_KINDS[row.entry.type].author(context.agentName() || "Agent");
}

function createNode(row: Row, context: RowContext): KeyedNode {
  switch (row.kind) {
    case "entry":
      return ENTRY_KINDS[row.entry.type].create(row, context);
    case "pending":
      return keyed(new UserNode(row, context), isUserRow);
    case "turn-end":
      return keyed(new NoticeNode(row), isKind("turn-end"));
    case "working":
      return keyed(new WorkingNode(row), isKind("working"));
    default:
      return row satisfies never;
  }
}

/** How a kind of entry is shown: its author, its node, and its estimated height in pixels. */
interface EntryKind<Type extends Entry["type"]> {
  readonly author: (agent: string) => string;
  readonly create: (row: EntryRow, context: RowContext) => KeyedNode;
  readonly heightPx: (entry: EntryOf<Type>) => number;
}

const ENTRY_KINDS: { readonly [Type in Entry["type"]]: EntryKind<Type> } = {
  user: {
    author: () => "You",
    create: (row, context) => keyed(new UserNode(row, context), isUserRow),
    heightPx: ({ content }) => textHeightPx(content) + 40,
  },
  assistant: {
    author: (agent) => agent,
    create: (row, context) => keyed(new AssistantNode(row, context), isEntry("assistant")),
    heightPx: ({ content, parts = [] }) => textHeightPx(content) + parts.length * 200,
  },
  thinking: {
    author: (agent) => `${agent}, thinking`,
    create: (row, context) => keyed(new ThinkingNode(row, context), isEntry("thinking")),
    heightPx: () => TOOL_LINE_PX,
  },
  "tool-call": {
    author: (agent) => `${agent}, tool call`,
    create: (row, context) => keyed(new ToolCallNode(row, context), isEntry("tool-call")),
    heightPx: () => TOOL_LINE_PX,
  },
  plan: {
    author: (agent) => `${agent}, plan`,
    create: (row) => keyed(new PlanNode(row), isEntry("plan")),
    heightPx: ({ items }) => TOOL_LINE_PX + items.length * 24,
  },
  notice: {
    author: () => "Liminal Builder",
    create: (row) => keyed(new NoticeNode(row), isEntry("notice")),
    heightPx: ({ content }) => textHeightPx(content) + 18,
  },
  changes: {
    author: () => "Liminal Builder",
    create: (row, context) => keyed(new ChangesNode(row, context), isEntry("changes")),
    heightPx: () => TOOL_LINE_PX,
  },
};

const LINE_PX = 22;
const TOOL_LINE_PX = 28;
const CHARS_PER_LINE = 90;
/** Estimates need not grow with a text: beyond this the real height is measured soon. */
const LINES_MAX = 400;
const GAP_PX: Readonly<Record<Gap, number>> = { first: 0, tight: 0, entry: 16, turn: 32 };

/** The estimated height of a row; a wrong estimate only moves the scroll bar's thumb. */
export function estimateHeightPx({ gap, entry }: EntryRow): number {
  const heightPx: (entry: never) => number = ENTRY_KINDS[entry.type].heightPx;
  return GAP_PX[gap] + heightPx(entry as never);
}

function textHeightPx(text: string): number {
  const lines = Math.ceil(text.length / CHARS_PER_LINE) + Math.min(text.split("\n", LINES_MAX).length, LINES_MAX) / 2;
  return Math.max(1, Math.min(LINES_MAX, Math.ceil(lines))) * LINE_PX;
}

function keyed<Kind extends Row>(node: RowNode<Kind>, accepts: (row: Row) => row is Kind): KeyedNode {
  return {
    element: node.element,
    update: (row) => {
      if (!accepts(row)) return false;
      node.update(row);
      return true;
    },
    tick: (now) => node.tick?.(now),
  };
}

type Pending = Extract<Row, { kind: "pending" }>;

function isUserRow(row: Row): row is EntryRow | Pending {
  return row.kind === "pending" || (row.kind === "entry" && row.entry.type === "user");
}

function isEntry(type: EntryRow["entry"]["type"]) {
  return (row: Row): row is EntryRow => row.kind === "entry" && row.entry.type === type;
}

function isKind<Kind extends Row["kind"]>(kind: Kind) {
  return (row: Row): row is Extract<Row, { kind: Kind }> => row.kind === kind;
}

type WorkingRow = Extract<TailRow, { kind: "working" }>;

/** Shows that the agent is busy while nothing on screen moves; not an article, because it is not part of the transcript. */
class WorkingNode implements RowNode<WorkingRow> {
  readonly element = createElement("div", "entry entry-working");
  readonly #words = createElement("span", "name muted");

  constructor(row: WorkingRow) {
    const mark = createElement("span", "mark");
    mark.dataset["state"] = "working";
    this.element.append(createElement("div", "line", createElement("span", "lead", mark), this.#words));
    this.update(row);
  }

  update(row: WorkingRow): void {
    this.element.dataset["gap"] = row.gap;
    setText(this.#words, row.words);
  }
}
