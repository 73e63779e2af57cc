import type { Connection } from "../../client/connection.ts";
import type { ChildSummary, Spent } from "../../protocol/children.ts";
import type { Budget } from "../../protocol/delegation.ts";
import type { SessionId } from "../../protocol/ids.ts";
import type { ShellToPortlet, ShownChild } from "../../protocol/portlet-messages.ts";
import type { PlainServerMessage, Project } from "../../protocol/server-messages.ts";
import { isTurnActive, type SessionRow } from "../../protocol/session-schema.ts";
import { costWords } from "../../ui/words/cost-words.ts";
import { elapsedWords } from "../../ui/words/time-words.ts";
import { type Activity, sessionActivity } from "../state/session-activity.ts";
import { sessionMark } from "../state/session-mark.ts";
import type { ShellState } from "../state/shell-state.ts";

/** While an agent works, its activity is requested again after this long. */
const REFRESH_MS = 2_000;
const CURRENCY_DEFAULT = "USD";

type Details = Extract<PlainServerMessage, { type: "session:children" }>;
type ChildrenMessage = Extract<ShellToPortlet, { type: "portlet:children" }>;

interface FeedOptions {
  readonly id: SessionId;
  readonly connection: Connection;
  readonly post: (message: ChildrenMessage) => void;
}

/** Sends a session's frame the state of its child sessions: from their rows at once, in detail while the frame is shown. */
export class ChildrenFeed {
  readonly #options: FeedOptions;
  #rows: readonly SessionRow[] = [];
  #projects: readonly Project[] = [];
  #details: Details | null = null;
  #isShown = false;
  #isAsking = false;
  #asked = "";
  #posted = "";
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: FeedOptions) {
    this.#options = options;
  }

  /** The frame was reloaded and has no state. */
  reset(): void {
    this.#posted = "";
    this.#asked = "";
  }

  update(state: ShellState, isShown: boolean): void {
    const { id } = this.#options;
    const rows = [...state.sessions.values()].filter(({ parentId }) => parentId === id);
    if (rows.length === 0 && this.#rows.length === 0) return;
    this.#rows = rows.sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
    this.#projects = state.projects;
    this.#isShown = isShown;
    this.#post();
    const stand = rows
      .map(({ id: child, turn }) => [child, turn.state, turn.turnId, state.childStatus.get(child)].join(" "))
      .join("\n");
    if (isShown && stand !== this.#asked) {
      this.#asked = stand;
      this.#ask();
    }
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#isShown = false;
  }

  #ask(): void {
    clearTimeout(this.#timer);
    if (this.#isAsking) return;
    this.#isAsking = true;
    const { connection, id } = this.#options;
    const asked = this.#asked;
    const settled = () => {
      this.#isAsking = false;
      if (!this.#isShown) this.#asked = "";
      else if (asked !== this.#asked) this.#ask();
      else if (this.#rows.some(({ turn }) => isTurnActive(turn)))
        this.#timer = setTimeout(() => this.#ask(), REFRESH_MS);
    };
    connection.request({ type: "session:children", sessionId: id }).then(
      (answer) => {
        if (answer.type === "session:children") this.#details = answer;
        this.#post();
        settled();
      },
      // The session is deleted, or the page is closing: the known rows stay.
      settled,
    );
  }

  #post(): void {
    const message = childrenMessage(this.#rows, this.#details, this.#projects);
    const posted = JSON.stringify(message);
    if (posted === this.#posted) return;
    this.#posted = posted;
    this.#options.post(message);
  }
}

/** Pure: what the parent's frame shows. */
function childrenMessage(
  rows: readonly SessionRow[],
  details: Details | null,
  projects: readonly Project[] = [],
): ChildrenMessage {
  const byId = new Map(details?.children.map((child) => [child.sessionId, child]));
  const currency = rows.find(({ usage }) => usage?.cost)?.usage?.cost?.currency ?? CURRENCY_DEFAULT;
  const used = details === null ? null : usedOf(details, currency);
  return {
    type: "portlet:children",
    children: rows.map((row) => {
      const directory = projects.find(({ id }) => id === row.projectId)?.path ?? "";
      return shownChild(row, byId.get(row.id), { currency, directory });
    }),
    spent: used?.words ?? "",
    ...(used?.share !== undefined && { share: used.share }),
  };
}

function shownChild(
  row: SessionRow,
  child: ChildSummary | undefined,
  { currency, directory }: { readonly currency: string; readonly directory: string },
): ShownChild {
  const ended = child?.ended ?? false;
  const cost = child?.spent.cost ?? row.usage?.cost?.amount ?? 0;
  const share = child === undefined ? undefined : usedOf(child, currency).share;
  return {
    sessionId: row.id,
    title: row.title,
    cliType: row.cliType,
    mark: markOf(row, ended),
    ...activityOf(row, child, directory),
    filesChanged: child?.filesChanged ?? 0,
    cost: cost > 0 ? costWords({ amount: cost, currency }) : "",
    ...(share !== undefined && { share }),
    ended,
  };
}

function markOf(row: SessionRow, ended: boolean): ShownChild["mark"] {
  const mark = sessionMark(row);
  if (mark === "limited") return "paused";
  if (mark !== "none" && mark !== "unread") return mark;
  return ended || row.turn.stopReason === undefined ? "idle" : "done";
}

function activityOf(row: SessionRow, child: ChildSummary | undefined, directory: string): Activity {
  if (child?.ended && !isTurnActive(row.turn)) return { words: child.lastLine ?? "Ended", target: "" };
  const { asks, tool, lastLine } = child ?? {};
  const mark = sessionMark(row);
  if (lastLine !== undefined && (mark === "none" || mark === "unread")) return { words: lastLine, target: "" };
  if (mark === "none" && row.turn.stopReason === undefined) return { words: "Not started", target: "" };
  const item = { sessionId: row.id, seq: 0, pending: asks ? [asks] : [], ...(tool && { tool }) };
  return sessionActivity(row, { item, directory });
}

/** The first limit that is set, in order of importance; without one, the cost. */
function usedOf(
  { spent, budget }: { readonly spent: Spent; readonly budget: Budget },
  currency: string,
): { readonly words: string; readonly share?: number } {
  const money = (amount: number) => costWords({ amount, currency });
  const count = (value: number) => new Intl.NumberFormat("en").format(value);
  if (budget.cost !== undefined)
    return { words: `${money(spent.cost)} of ${money(budget.cost)}`, share: spent.cost / budget.cost };
  if (budget.tokens !== undefined)
    return { words: `${count(spent.tokens)} of ${count(budget.tokens)} tokens`, share: spent.tokens / budget.tokens };
  if (budget.turns !== undefined)
    return { words: `${count(spent.turns)} of ${count(budget.turns)} turns`, share: spent.turns / budget.turns };
  if (budget.workMs !== undefined)
    return {
      words: `${elapsedWords(spent.workMs)} of ${elapsedWords(budget.workMs)}`,
      share: spent.workMs / budget.workMs,
    };
  return { words: spent.cost > 0 ? money(spent.cost) : "" };
}
