import type { Entry } from "../protocol/entry.ts";
import { foldMessage } from "../protocol/fold-message.ts";
import { type CliType, type ElicitationId, type EntryId, SessionId } from "../protocol/ids.ts";
import type { PersonId, PersonRef } from "../protocol/person-ref.ts";
import type { ShellToPortlet, ShownBranch, ShownOrigin } from "../protocol/portlet-messages.ts";
import { reduceSession } from "../protocol/reduce-session.ts";
import type { AgentStatus } from "../protocol/session-messages.ts";
import { EMPTY_SESSION, type SessionState } from "../protocol/session-schema.ts";

/** The state that the shell has sent to this frame. Plain data. */
export interface PortletState {
  readonly session: SessionState;
  /** The session's history has arrived at least once. */
  readonly isOpened: boolean;
  readonly cliType: CliType | null;
  readonly agentName: string;
  /** The account that the agent works with, as it names it. */
  readonly account: string | null;
  readonly projectName: string;
  /** The agent's working directory. */
  readonly directory: string;
  /** Of the session that started this one. */
  readonly parentTitle: string | null;
  /** Its agent can continue the conversation in a terminal. */
  readonly canHandBack: boolean;
  /** The session whose conversation it started with, and how its agent knows it. */
  readonly origin: ShownOrigin | null;
  /** Other sessions that began at an entry of this one, by its id; "" for those that began before its first message. */
  readonly branches: ReadonlyMap<string, readonly ShownBranch[]>;
  /** The branch that its worktree was made from. */
  readonly base: string | null;
  /** Files that another worktree changed, too: as a mark, and in full. */
  readonly overlap: { readonly words: string; readonly details: string } | null;
  /** The current person, if there are several; `looks`: may change nothing in this project. */
  readonly person: { readonly id: PersonId; readonly looks: boolean } | null;
  /** Who else shows the session now. */
  readonly others: readonly PersonRef[];
  readonly children: Children;
  readonly status: AgentStatus;
  readonly statusMessage: string | null;
  /** When a crashed agent is restarted automatically, as ISO 8601. */
  readonly nextTryAt: string | null;
  /** The error code if the agent could not be started for this new session. */
  readonly startFailure: string | null;
  readonly isConnected: boolean;
  /** False: nothing can be stored, so nothing can be sent. */
  readonly isWritable: boolean;
  /** Its column from the left, if several sessions are in view. */
  readonly column: number | null;
  /** The oldest entry when older ones were last requested: requested once, until the answer arrives. */
  readonly pageAskedBefore: EntryId | null;
  /** The server's errors for the last answer to a question. */
  readonly refusedAnswer: RefusedAnswer | null;
  /** The progress of undoing restores, by their undo ids. */
  readonly undos: ReadonlyMap<string, Undoing>;
}

/** `failed`: why it could not be undone. */
export type Undoing =
  | { readonly state: "asked" }
  | { readonly state: "undone" }
  | { readonly state: "failed"; readonly words: string };

/** The agents that this session started. */
type Children = Omit<Extract<ShellToPortlet, { type: "portlet:children" }>, "type">;

interface RefusedAnswer {
  readonly elicitationId: ElicitationId;
  readonly message: string;
  readonly fields: Readonly<Record<string, string>>;
}

export const EMPTY_PORTLET: PortletState = {
  session: EMPTY_SESSION,
  isOpened: false,
  cliType: null,
  agentName: "",
  account: null,
  projectName: "",
  directory: "",
  parentTitle: null,
  canHandBack: false,
  origin: null,
  branches: new Map(),
  base: null,
  overlap: null,
  person: null,
  others: [],
  children: { children: [], spent: "" },
  status: "idle",
  statusMessage: null,
  nextTryAt: null,
  startFailure: null,
  isConnected: true,
  isWritable: true,
  column: null,
  pageAskedBefore: null,
  refusedAnswer: null,
  undos: new Map(),
};

/** A frame shows one session and never knows its id; folding requires one and does not read it. */
const OWN_SESSION = SessionId.parse("portlet:own");

/** Folds one message of the shell into the state. Pure. */
export function foldPortlet(state: PortletState, message: ShellToPortlet): PortletState {
  switch (message.type) {
    case "session:history": {
      const session = foldMessage(state.session, { ...message, sessionId: OWN_SESSION });
      return withUndone({ ...state, session, isOpened: true, pageAskedBefore: null }, session.settled, session.open);
    }
    case "session:page": {
      const session = foldMessage(state.session, { ...message, sessionId: OWN_SESSION });
      return withUndone({ ...state, session, pageAskedBefore: null }, session.settled);
    }
    case "agent:status":
      return {
        ...state,
        status: message.status,
        statusMessage: message.message ?? null,
        nextTryAt: message.nextTryAt ?? null,
        startFailure: message.startFailure ?? null,
      };
    case "portlet:session": {
      const { cliType, agentName, projectName, directory, parentTitle = null, base = null, overlap = null } = message;
      const { account = null, handback: canHandBack = false, origin = null, person = null } = message;
      const others = state.others.filter(({ id }) => id !== person?.id);
      const branches = Map.groupBy(message.branches ?? [], ({ entryId = "" }) => entryId as string);
      const place = { projectName, directory, parentTitle, origin, branches, base, overlap };
      return { ...state, cliType, agentName, account, ...place, canHandBack, person, others };
    }
    case "session:presence":
      return { ...state, others: message.people.filter(({ id }) => id !== state.person?.id) };
    case "portlet:children":
      return { ...state, children: message };
    case "portlet:visible": {
      const { column = null } = message;
      return column === state.column ? state : { ...state, column };
    }
    case "portlet:connection":
      return { ...state, isConnected: message.connected };
    case "portlet:storage":
      return { ...state, isWritable: message.writable };
    case "session:resumed":
    case "session:draft":
    case "files:found":
    case "portlet:answer":
    case "changes:state":
    case "session:error":
    case "portlet:focus":
    case "portlet:print":
    case "portlet:find":
    case "portlet:offers":
    case "portlet:quote":
    case "portlet:open-path":
    case "portlet:open-changes":
    case "portlet:wish":
    case "portlet:reveal":
      return state;
    default: {
      const session = reduceSession(state.session, message);
      if (session === state.session) return state;
      return withUndone({ ...state, session }, message.type === "session:update" ? [message.entry] : []);
    }
  }
}

/** An undone restore shows that, whichever page undid it. */
function withUndone(state: PortletState, ...entries: readonly (readonly Entry[])[]): PortletState {
  const ids = entries.flat().flatMap((entry) => (entry.type === "notice" && entry.undone) || []);
  const fresh = ids.filter((id) => state.undos.get(id)?.state !== "undone");
  if (fresh.length === 0) return state;
  return { ...state, undos: new Map([...state.undos, ...fresh.map((id) => [id, { state: "undone" }] as const)]) };
}
