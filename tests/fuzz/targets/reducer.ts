import { z } from "zod";
import type { AgentEvent } from "../../../src/ports/agents.ts";
import type { Fact } from "../../../src/protocol/facts.ts";
import { entriesOf, foldMessage } from "../../../src/protocol/fold-message.ts";
import { reduceSession } from "../../../src/protocol/reduce-session.ts";
import { FactMessage } from "../../../src/protocol/server-messages.ts";
import type { SessionHistory } from "../../../src/protocol/session-messages.ts";
import { EMPTY_SESSION, type SessionState, sessionFieldsOf } from "../../../src/protocol/session-schema.ts";
import { readState, writeState } from "../../../src/store/session-log/session-columns.ts";
import { commandId, permissionId, SESSION, turnId } from "../../core/names.ts";
import { PureSession } from "../../core/pure-session.ts";
import { shown, shownTail } from "../../core/session-reader.ts";
import { ruleSame } from "../engine/broken-rule.ts";
import { fuzzTarget } from "../engine/fuzz-target.ts";
import type { Source } from "../engine/source.ts";

const STEPS = [
  ..."text text text text thought late user part tool tool patch patch output plan notice title usage commands ask answer withdraw".split(
    " ",
  ),
  ..."send send cancel end end fail lost silent ignored raw rename archive unarchive queue retry compaction".split(" "),
];
const Step = z.object({ what: z.enum(STEPS), id: z.int().min(0).max(9), text: z.string() });
type Step = z.infer<typeof Step>;
const Input = z.object({ steps: z.array(Step), cut: z.int().min(0), window: z.int().min(1), page: z.int().min(1) });

const WORDS = ["a", "bc ", "def\n", "😀", "\ud83d", "\ude00", "```", "", "x".repeat(70)];

/** A stream of facts and a snapshot with the rest of them mean the same, at every cut and for every reader. */
export const reducer = fuzzTarget({
  name: "reducer",
  weight: 0.8,
  shape: Input,
  make: (source) => ({
    steps: source.list(1, 14, () => someStep(source)),
    cut: source.below(60),
    window: source.pick([1, 2, 5, 1_000]),
    page: source.between(1, 4),
  }),
  check({ steps, cut, window, page }) {
    const session = new PureSession();
    for (const step of steps) take(session, step);
    const facts = session.facts.map((fact) => FactMessage.parse(JSON.parse(JSON.stringify(fact))) as Fact);
    const at = facts.slice(0, cut % (facts.length + 1)).reduce<SessionState>(reduceSession, EMPTY_SESSION);
    const before = JSON.stringify(at);
    const whole = facts.reduce<SessionState>(reduceSession, EMPTY_SESSION);
    ruleSame(shown(whole), shown(plain(session.state)), "facts read from the wire mean what they meant when made");
    const rest = facts.reduce<SessionState>(reduceSession, at);
    ruleSame(rest, whole, "facts that come twice change nothing");
    ruleSame(JSON.stringify(at), before, "folding does not change the state it starts from");
    const stored = { ...readState(writeState(at)), settled: at.settled };
    ruleSame(
      shown(facts.reduce<SessionState>(reduceSession, stored)),
      shown(whole),
      "a stored state and the rest is the whole",
    );
    const reader = facts.reduce<SessionState>(reduceSession, foldMessage(EMPTY_SESSION, historyOf(at, window)));
    ruleSame(shown(reader), shownTail(whole, entriesOf(reader).length), "a history and the rest is the whole");
    ruleSame(shown(paged(reader, whole, page)), shown(whole), "pages put before the window make up the whole");
  },
});

function someStep(source: Source): Step {
  const text = source.pick(WORDS) + (source.isOneIn(3) ? source.pick(WORDS) : "");
  return { what: source.pick(STEPS), id: source.below(4), text };
}

function plain(state: SessionState): SessionState {
  return JSON.parse(JSON.stringify(state));
}

function historyOf(state: SessionState, window: number): SessionHistory {
  return {
    type: "session:history",
    sessionId: SESSION,
    ...sessionFieldsOf(state),
    entries: [...state.settled.slice(-window), ...state.open],
    hasMore: state.settled.length > window,
  };
}

/** Requests page after page of the entries before its window. */
function paged(reader: SessionState, whole: SessionState, size: number): SessionState {
  const all = entriesOf(whole);
  let state = reader;
  for (let asked = 0; asked <= all.length; asked += 1) {
    const first = entriesOf(state)[0];
    const end = first ? all.findIndex(({ entryId }) => entryId === first.entryId) : 0;
    if (!first || end <= 0) break;
    const from = Math.max(0, end - size);
    const entries = all.slice(from, end);
    state = foldMessage(state, {
      type: "session:page",
      sessionId: SESSION,
      before: first.entryId,
      entries,
      hasMore: from > 0,
    });
  }
  return state;
}

/** One thing a user or an agent does. */
function take(session: PureSession, step: Step): void {
  const event = eventOf(session, step);
  if (event) session.hear(event);
  else tell(session, step);
}

function eventOf(session: PureSession, { what, id, text }: Step): AgentEvent | null {
  const toolCallId = `call-${id}`;
  const asked = permissionId(`p${id}`);
  const turn = session.state.turn.turnId ?? turnId("none");
  switch (what) {
    case "text":
      return { type: "text", kind: "assistant", text, ...(id > 1 && { messageId: `m${id}` }) };
    case "thought":
      return { type: "text", kind: "thinking", text };
    case "late":
      return { type: "text", kind: "assistant", text, parentToolCallId: toolCallId };
    case "user":
      return { type: "text", kind: "user", text };
    case "part":
      return { type: "part", kind: "assistant", part: { type: "image", mimeType: "image/png", data: text } };
    case "tool":
      return { type: "tool", patch: { toolCallId, announced: true, name: text, input: { text } } };
    case "patch":
      return { type: "tool", patch: { toolCallId, announced: false, result: text, ...statusOf(id) } };
    case "output":
      return { type: "tool-output", toolCallId, text };
    case "plan":
      return { type: "plan", items: [{ content: text, priority: "high", status: "pending" }] };
    case "notice":
      return { type: "notice", severity: "info", content: text };
    case "compaction":
      return {
        type: "compaction",
        patch: { compactionId: toolCallId, more: text, ...(id > 1 && { status: "completed" }) },
      };
    case "title":
      return { type: "title", title: text };
    case "usage":
      return { type: "usage", usage: { used: id, size: 9 } };
    case "commands":
      return { type: "commands", commands: [{ name: text, description: "" }] };
    case "ask":
      return { type: "permission-requested", permissionId: asked, patch: { toolCallId, announced: true }, options: [] };
    case "withdraw":
      return { type: "permission-withdrawn", permissionId: asked };
    case "end":
      return { type: "turn-ended", turnId: turn, stopReason: id > 2 ? "max_tokens" : "end_turn" };
    case "fail":
      return { type: "turn-failed", turnId: turn, error: { code: "AGENT_PROTOCOL_ERROR", message: text } };
    case "lost":
      return { type: "lost", reason: text, state: "crashed" };
    case "silent":
      return { type: "silent" };
    case "ignored":
      return { type: "cancel-ignored" };
    case "raw":
      return { type: "unknown", update: { text } };
    default:
      return null;
  }
}

function statusOf(id: number): { status?: "running" | "complete" | "error" } {
  const status = ([undefined, "running", "complete", "error"] as const)[id];
  return status === undefined ? {} : { status };
}

function tell(session: PureSession, { what, id, text }: Step): void {
  switch (what) {
    case "send":
      session.tell({ type: "session:send", content: text || "go", commandId: commandId(`c${session.facts.length}`) });
      break;
    case "cancel":
      session.tell({ type: "session:cancel" });
      break;
    case "rename":
      session.tell({ type: "session:rename", title: text || "Named" });
      break;
    case "archive":
      session.tell({ type: "session:archive" });
      break;
    case "unarchive":
      session.tell({ type: "session:unarchive" });
      break;
    case "queue":
      session.tell({ type: "session:queue-edit", items: session.state.queue.slice(1) });
      break;
    case "retry":
      session.tell({ type: "session:retry" });
      break;
    case "answer":
      session.tell({ type: "permission:respond", permissionId: permissionId(`p${id}`), optionId: "yes" });
      break;
  }
}
