import { foldMessage } from "../protocol/fold-message.ts";
import { type CliType, type ElicitationId, type EntryId, SessionId } from "../protocol/ids.ts";
import type { ShellToPortlet } from "../protocol/portlet-messages.ts";
import { reduceSession } from "../protocol/reduce-session.ts";
import type { AgentStatus } from "../protocol/server-messages.ts";
import { EMPTY_SESSION, type SessionState } from "../protocol/session-schema.ts";

/** The state that the shell has sent to this frame. Plain data. */
export interface PortletState {
  readonly session: SessionState;
  /** The session's history has arrived at least once. */
  readonly isOpened: boolean;
  readonly cliType: CliType | null;
  readonly agentName: string;
  readonly projectName: string;
  /** Where the agent works. */
  readonly directory: string;
  /** Of the session that started this one. */
  readonly parentTitle: string | null;
  readonly children: Children;
  readonly status: AgentStatus;
  readonly statusMessage: string | null;
  /** When a crashed agent is started again by itself, as ISO 8601. */
  readonly nextTryAt: string | null;
  /** The code of the error, when the agent could not be started for this new session. */
  readonly startFailure: string | null;
  readonly isConnected: boolean;
  /** False: nothing can be stored, so nothing can be sent. */
  readonly isWritable: boolean;
  readonly isVisible: boolean;
  /** Its place from the left, where several sessions are in view. */
  readonly column: number | null;
  /** The oldest entry when older ones were last asked for: asked once, until the answer comes. */
  readonly pageAskedBefore: EntryId | null;
  /** What the server did not like about the last answer to a question. */
  readonly refusedAnswer: RefusedAnswer | null;
}

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
  projectName: "",
  directory: "",
  parentTitle: null,
  children: { children: [], spent: "" },
  status: "idle",
  statusMessage: null,
  nextTryAt: null,
  startFailure: null,
  isConnected: true,
  isWritable: true,
  isVisible: true,
  column: null,
  pageAskedBefore: null,
  refusedAnswer: null,
};

/** A frame stands for one session and never learns its id; folding wants one and does not look at it. */
const OWN_SESSION = SessionId.parse("portlet:own");

/** Folds one message of the shell into the state. Pure. */
export function foldPortlet(state: PortletState, message: ShellToPortlet): PortletState {
  switch (message.type) {
    case "session:history": {
      const session = foldMessage(state.session, { ...message, sessionId: OWN_SESSION });
      return { ...state, session, isOpened: true, pageAskedBefore: null };
    }
    case "session:page": {
      const session = foldMessage(state.session, { ...message, sessionId: OWN_SESSION });
      return { ...state, session, pageAskedBefore: null };
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
      const { cliType, agentName, projectName, directory, parentTitle = null } = message;
      return { ...state, cliType, agentName, projectName, directory, parentTitle };
    }
    case "portlet:children":
      return { ...state, children: message };
    case "portlet:visible":
      return { ...state, isVisible: message.visible, column: message.column ?? null };
    case "portlet:connection":
      return { ...state, isConnected: message.connected };
    case "portlet:storage":
      return { ...state, isWritable: message.writable };
    case "session:resumed":
    case "session:draft":
    case "files:found":
    case "session:error":
    case "portlet:focus":
    case "portlet:print":
    case "portlet:find":
    case "portlet:wish":
    case "portlet:reveal":
      return state;
    default: {
      const session = reduceSession(state.session, message);
      return session === state.session ? state : { ...state, session };
    }
  }
}
