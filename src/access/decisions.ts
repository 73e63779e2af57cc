import type { ClientMessage } from "../protocol/client-messages.ts";
import type { OperationId, OwnOperationId } from "../protocol/http-api.ts";
import type { PlainServerMessage } from "../protocol/server-messages.ts";
import type { Action } from "./may.ts";

type Type = ClientMessage["type"];

/** What a message needs: in the project of each id that it names, and, if it names none, without a project. */
export interface Decision {
  readonly named: Action;
  readonly unnamed: Action;
}

/** `unnamed` is the server's right by default: a message that names nothing concerns everything. */
const needs = (named: Action, unnamed: Action = "run"): Decision => ({ named, unnamed });

const LOOK = needs("look");
const WORK = needs("work");
const MANAGE = needs("manage");
const RUN = needs("run");
const CONNECT = needs("connect", "connect");
const CONTRIBUTE = needs("contribute", "contribute");
/** A list of everything, of which each person gets their part. */
const FILTERED = needs("look", "connect");

/**
 * One decision for every message of a client. A new message does not compile without one. Changing state that all
 * viewers share, such as drafts and marks, needs the right to work.
 */
const DECISIONS: Readonly<Record<Exclude<Type, `policy:${string}`>, Decision>> = {
  ping: CONNECT,
  "project:list": FILTERED,
  "project:add": RUN,
  "project:remove": MANAGE,
  /** Directories of the machine. */
  "directories:list": RUN,
  "session:list": LOOK,
  "session:children": LOOK,
  "session:open": LOOK,
  "session:page": LOOK,
  "session:output": LOOK,
  "session:pack": LOOK,
  /** It names a session that this client already follows, or nothing. */
  "session:close": CONNECT,
  /** A viewer is shown as present, but marks nothing as read. */
  "session:seen": LOOK,
  "session:results": FILTERED,
  "session:create": WORK,
  "session:branch": WORK,
  "session:discard": WORK,
  "session:mark": WORK,
  "session:draft": WORK,
  "session:send": WORK,
  "session:elsewhere": WORK,
  "session:steer": WORK,
  "session:queue-edit": WORK,
  "session:queue-resume": WORK,
  "session:send-now": WORK,
  "session:retry": WORK,
  "session:resume-limit": WORK,
  "session:dismiss-limit": WORK,
  "session:cancel": WORK,
  "session:stop-subagent": WORK,
  "session:kill": WORK,
  "session:wait-cancel": WORK,
  "session:archive": WORK,
  "session:unarchive": WORK,
  "session:rename": WORK,
  "session:organize": WORK,
  "session:handback": WORK,
  "session:configure": WORK,
  "session:reconnect": WORK,
  /** Permanent, and for everyone. */
  "session:delete": MANAGE,
  "permission:respond": WORK,
  /** Without a session: a question of an agent that signs in. */
  "elicitation:respond": WORK,
  search: FILTERED,
  "inbox:list": FILTERED,
  "usage:get": FILTERED,
  "files:search": LOOK,
  "files:list": LOOK,
  "files:read": LOOK,
  /** Starts a program on the server's machine. */
  "files:edit": RUN,
  "changes:open": LOOK,
  "changes:close": CONNECT,
  "changes:patch": LOOK,
  "changes:decide": WORK,
  "changes:cancel": WORK,
  "changes:undo": WORK,
  "changes:viewed": WORK,
  "workdir:commit": WORK,
  "checkpoint:list": LOOK,
  "checkpoint:preview": LOOK,
  "checkpoint:restore": WORK,
  "checkpoint:settle": WORK,
  "attempts:start": WORK,
  "attempts:compare": LOOK,
  "attempts:keep": WORK,
  "worktree:list": LOOK,
  "worktree:options": LOOK,
  "worktree:remove": WORK,
  "worktree:return": WORK,
  "worktree:purge": WORK,
  "worktree:repair": WORK,
  "worktree:setup": WORK,
  "worktree:move-session": WORK,
  "merge:preview": LOOK,
  "merge:run": WORK,
  "merge:commit": WORK,
  "merge:ask-agent": WORK,
  "publish:preview": LOOK,
  "publish:run": WORK,
  "schedule:list": LOOK,
  "schedule:runs": LOOK,
  "schedule:preview": CONNECT,
  "schedule:save": WORK,
  "schedule:enable": WORK,
  "schedule:remove": WORK,
  "schedule:run": WORK,
  "snippet:list": FILTERED,
  "snippet:save": WORK,
  "snippet:remove": WORK,
  "terminal:list": FILTERED,
  /** A shell shows what its users can read, and takes the size of its viewers. Without a project: a sign-in. */
  "terminal:open": WORK,
  "terminal:attach": WORK,
  "terminal:input": WORK,
  "terminal:resize": WORK,
  "terminal:close": WORK,
  "terminal:detach": CONNECT,
  "terminal:ack": CONNECT,
  "service:list": LOOK,
  "service:consents": LOOK,
  "service:start": WORK,
  "service:stop": WORK,
  "service:restart": WORK,
  "service:revoke": WORK,
  "mcp:list": LOOK,
  "mcp:choose": MANAGE,
  /** Conversations from outside, by the server's account. */
  "import:list": MANAGE,
  "import:start": MANAGE,
  "import:cancel": MANAGE,
  "agent:list": CONNECT,
  "agent:options": CONNECT,
  "agent:choose": CONTRIBUTE,
  "agent:favourite": CONTRIBUTE,
  "agent:install": RUN,
  "agent:install-cancel": RUN,
  "agent:uninstall": RUN,
  "agent:rollback": RUN,
  "agent:topology": RUN,
  "agent:authenticate": RUN,
  "agent:sign-out": RUN,
  "settings:agents": RUN,
  "settings:save-agent": RUN,
  "settings:remove-agent": RUN,
  "settings:save-server": RUN,
  "settings:remove-server": RUN,
  "settings:test-agent": RUN,
  "settings:test-server": RUN,
  "place:list": RUN,
  "place:save": RUN,
  "place:remove": RUN,
  "place:check": RUN,
  "place:invite": RUN,
  "place:revoke": RUN,
  "notify:list": RUN,
  "notify:save": RUN,
  "notify:remove": RUN,
  "notify:test": RUN,
  "model:get": RUN,
  "model:save": RUN,
  "model:remove": RUN,
  "model:test": RUN,
  "model:list": RUN,
};

type PolicyMessage = Extract<ClientMessage, { type: `policy:${string}` }>;

/** Permissions of an agent in all projects are the server's; its past requests are those of all projects. */
function decidePolicy({ type, scope }: Pick<PolicyMessage, "type" | "scope">): Decision {
  if (scope === "agent") return type === "policy:get" ? CONNECT : RUN;
  if (type !== "policy:set") return LOOK;
  return scope === "project" ? MANAGE : WORK;
}

/** What is needed to send this. Pure. */
export function decisionOf(message: Pick<ClientMessage, "type">): Decision {
  if (isPolicy(message)) return decidePolicy(message);
  return DECISIONS[message.type as keyof typeof DECISIONS] ?? RUN;
}

function isPolicy(message: Pick<ClientMessage, "type">): message is PolicyMessage {
  return message.type.startsWith("policy:");
}

/**
 * Who receives each published message. `named`: whoever may look at the projects of the ids in it, and no one if it has
 * none. `part`: each person their part. `owners`: who runs the server.
 */
export type Audience = "everybody" | "named" | "part" | "owners";

const AUDIENCES: Readonly<Record<PlainServerMessage["type"], Audience>> = {
  hello: "part",
  "person:standing": "everybody",
  ok: "everybody",
  error: "named",
  "storage:state": "everybody",
  "project:added": "named",
  "project:removed": "named",
  "project:list": "part",
  "directories:list": "owners",
  "session:list": "named",
  "session:created": "named",
  "session:changed": "named",
  "session:deleted": "named",
  "session:handed-back": "named",
  "session:children": "named",
  "session:history": "named",
  "session:resumed": "named",
  "session:page": "named",
  "session:output": "named",
  "session:pack": "named",
  "session:draft": "named",
  "session:presence": "named",
  "session:results": "part",
  "search:results": "part",
  "files:found": "named",
  "files:listing": "owners",
  "files:text": "owners",
  "changes:state": "named",
  "changes:patch": "named",
  "checkpoint:list": "named",
  "checkpoint:preview": "named",
  "checkpoint:restored": "named",
  "workdir:committed": "named",
  /** With a session: of that session. */
  "agent:status": "part",
  "agent:list": "everybody",
  "agent:limits": "everybody",
  "agent:options": "everybody",
  "agent:install-progress": "owners",
  inbox: "part",
  "settings:agents": "owners",
  "settings:tested": "owners",
  "place:list": "owners",
  "place:invited": "owners",
  "place:state": "part",
  agent_created: "named",
  agent_update: "named",
  agent_status: "named",
  "elicitation:request": "owners",
  "elicitation:resolved": "owners",
  "terminal:opened": "owners",
  "terminal:output": "owners",
  "terminal:exited": "owners",
  "terminal:list": "part",
  "terminal:attached": "owners",
  "service:list": "named",
  "service:consents": "named",
  "import:found": "named",
  "import:started": "named",
  "import:progress": "named",
  "import:done": "named",
  "policy:state": "part",
  "policy:previewed": "owners",
  "policy:audit": "owners",
  "mcp:servers": "named",
  "attempts:started": "named",
  "attempts:compared": "named",
  "attempts:kept": "named",
  "worktree:list": "named",
  "worktree:options": "named",
  "worktree:moved": "named",
  "merge:preview": "owners",
  "merge:committed": "owners",
  "merge:done": "owners",
  "publish:preview": "owners",
  "publish:done": "owners",
  "usage:report": "part",
  "snippet:list": "part",
  "schedule:list": "named",
  "schedule:runs": "owners",
  "schedule:preview": "everybody",
  "notify:targets": "owners",
  "model:settings": "owners",
  "model:tested": "owners",
  "model:listed": "owners",
};

export function audienceOf({ type }: Pick<PlainServerMessage, "type">): Audience {
  return AUDIENCES[type] ?? "owners";
}

/**
 * Operations of `/api/v1/` that are no message. With `look` and `manage`, the operation looks at the session or project
 * that it is about; `connect` answers each person with what is theirs.
 */
const OWN_OPERATIONS: Readonly<Record<OwnOperationId, Action>> = {
  listSessions: "connect",
  readSession: "look",
  followSession: "look",
  listTokens: "connect",
  createToken: "connect",
  revokeToken: "connect",
  listHooks: "run",
  saveHook: "run",
  changeHook: "run",
  testHook: "run",
  removeHook: "run",
  listPeople: "connect",
  addPerson: "run",
  changePerson: "run",
  removePerson: "run",
  invitePerson: "run",
  giveRole: "manage",
};

/** The right that an operation needs before its parameters are known; null: its parameters decide. */
export function ownOperationNeeds(id: OperationId): Action | null {
  const action = (OWN_OPERATIONS as Readonly<Partial<Record<OperationId, Action>>>)[id];
  return action === undefined || action === "look" || action === "manage" ? null : action;
}

/**
 * Every address of HTTP besides the files of the page and `/api/v1/` (`protocol/http-api.ts`), with the right it needs:
 * an address that is not listed is not served. `anyone`: it has its own checks, or reveals nothing. `session` and
 * `project`: the right in that one, by the parameter of the address. `own`: each person gets only their own data.
 */
export type HttpDecision =
  | "anyone"
  | "own"
  | { readonly action: Action; readonly of: "session" | "project" | "server" };

const server = (action: Action): HttpDecision => ({ action, of: "server" });

export const HTTP_ROUTES = {
  "/": "anyone",
  "/portlet": "anyone",
  "/healthz": "anyone",
  "/manifest.webmanifest": "anyone",
  "/service-worker.js": "anyone",
  "/sign-in": "anyone",
  "/sign-in/service": "anyone",
  "/sign-in/service/return": "anyone",
  "/pair": "anyone",
  "/api/openapi.json": "anyone",
  "/api/socket-schema.json": "anyone",
  /** Each message and each tool has a decision of its own. */
  "/ws": server("connect"),
  "/mcp": server("connect"),
  "/api/status": server("run"),
  "/api/metrics": server("run"),
  "/api/crash": server("run"),
  /** One process may serve sessions of several projects. */
  "/api/trace": server("run"),
  "/api/export": { action: "look", of: "session" },
  /** Of the sessions that the person may look at. */
  "/api/export-all": server("connect"),
  "/api/backup": server("run"),
  "/api/delete": server("run"),
  "/api/import": { action: "work", of: "project" },
  "/api/devices": "own",
  "/api/devices/revoke": "own",
  "/api/pairing": "own",
  "/api/push": "own",
  "/api/ticket": "own",
} as const satisfies Readonly<Record<`/${string}`, HttpDecision>>;

export function httpDecisionOf(path: string): HttpDecision | null {
  return Object.hasOwn(HTTP_ROUTES, path) ? HTTP_ROUTES[path as keyof typeof HTTP_ROUTES] : null;
}
