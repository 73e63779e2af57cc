import { AssistantNode } from "./parts/assistant.ts";
import { NoticeNode } from "./parts/notice.ts";
import { PlanNode } from "./parts/plan.ts";
import { ThinkingNode } from "./parts/thinking.ts";
import { ToolCallNode } from "./parts/tool-call.ts";
import { UserNode } from "./parts/user.ts";
import { WorkingNode } from "./parts/working.ts";
import type { KeyedNode, RowContext, RowNode } from "./row-node.ts";
import type { EntryRow, Row } from "./rows.ts";

/** One kind of node for each kind of row; an article says whose it is. */
export function createRowNode(row: Row, context: RowContext): KeyedNode {
  const node = createNode(row, context);
  const author = authorOf(row, context);
  if (author !== null) node.element.setAttribute("aria-label", author);
  return node;
}

function authorOf(row: Row, context: RowContext): string | null {
  if (row.kind === "pending") return "You";
  if (row.kind !== "entry") return null;
  const agent = context.agentName() || "Agent";
  const authors = {
    user: "You",
    assistant: agent,
    thinking: `${agent}, thinking`,
    "tool-call": `${agent}, tool call`,
    plan: `${agent}, plan`,
    notice: "Liminal Builder",
  };
  return authors[row.entry.type];
}

function createNode(row: Row, context: RowContext): KeyedNode {
  switch (row.kind) {
    case "entry":
      return createEntryNode(row, context);
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

function createEntryNode(row: EntryRow, context: RowContext): KeyedNode {
  switch (row.entry.type) {
    case "user":
      return keyed(new UserNode(row, context), isUserRow);
    case "assistant":
      return keyed(new AssistantNode(row, context), isEntry("assistant"));
    case "thinking":
      return keyed(new ThinkingNode(row, context), isEntry("thinking"));
    case "tool-call":
      return keyed(new ToolCallNode(row, context), isEntry("tool-call"));
    case "plan":
      return keyed(new PlanNode(row), isEntry("plan"));
    case "notice":
      return keyed(new NoticeNode(row), isEntry("notice"));
    default:
      return row.entry satisfies never;
  }
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
