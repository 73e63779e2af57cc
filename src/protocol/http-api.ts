import { z } from "zod/mini";
import { type ApiScope, ApiTokenList, CreatedApiToken, NewApiToken, RevokedApiToken } from "./api-tokens.ts";
import { ClientMessage } from "./client-messages.ts";
import { ErrorCode } from "./errors.ts";
import { FactBody } from "./facts.ts";
import { ProjectId, Seq, SessionId } from "./ids.ts";
import {
  ChangedHook,
  CreatedHook,
  HookList,
  HookName,
  HookTest,
  NewHook,
  RemovedHook,
  ShownHook,
  StartedHook,
} from "./incoming-hooks.ts";
import { PAGE_ENTRIES_MAX } from "./limits.ts";
import {
  ChangedPerson,
  GivenRole,
  NewPerson,
  OnePerson,
  PeopleList,
  PersonInvitation,
  PersonOnly,
  RemovedPerson,
} from "./people.ts";
import { PlainServerMessage, type ServerMessage } from "./server-messages.ts";
import { SessionHistory } from "./session-messages.ts";
import { SessionRow } from "./session-schema.ts";

export const IDEMPOTENCY_KEY_CHARS_MAX = 200;

/** Besides the codes of the socket, those of HTTP itself. */
export const ApiErrorCode = z.enum([
  ...ErrorCode.options,
  "UNAUTHORIZED",
  "NOT_FOUND",
  "METHOD_NOT_ALLOWED",
  "TOO_LARGE",
  "RATE_LIMITED",
  "KEY_REUSED",
  "UNAVAILABLE",
]);
export type ApiErrorCode = z.infer<typeof ApiErrorCode>;

export const ApiError = z.object({
  /** For people: what is wrong, and what to do. */
  error: z.string(),
  code: ApiErrorCode,
  /** The field that is wrong, for example. */
  details: z.optional(z.string()),
  fields: z.optional(z.record(z.string(), z.string())),
});
export type ApiError = z.infer<typeof ApiError>;

interface Operation {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  /** Names in braces are path parameters. The other fields are in the query (GET, DELETE) or in a JSON body. */
  readonly path: `/api/v1/${string}`;
  readonly scope: ApiScope;
  readonly summary: string;
  readonly status?: 201;
  /**
   * For a token of one project, where the request names neither project nor session: `shared` is the same for all
   * projects, `filtered` shows only its own. Without it, such a token is refused.
   */
  readonly projects?: "shared" | "filtered";
}

/** A command of the socket: its fields are the input, and what the socket would answer is the output. */
interface CommandOperation extends Operation {
  readonly command: ClientMessage["type"];
  readonly answer: ServerMessage["type"];
}

/** What only HTTP has. */
interface OwnOperation extends Operation {
  readonly input: z.ZodMiniObject;
  readonly output: z.ZodMiniType;
  /** The output is a stream of server-sent events, each with one of these as its data. */
  readonly isStream?: true;
  /** Only the user: no program token may do it, so that revoking a token revokes everything it could do. */
  readonly isForUser?: true;
}

const window = { limit: z.optional(z.int().check(z.minimum(1), z.maximum(PAGE_ENTRIES_MAX))) };

/**
 * The whole HTTP API for programs in one table; routes, checks, the OpenAPI document and the client are derived from
 * it.
 */
export const API_OPERATIONS = {
  listProjects: {
    method: "GET",
    path: "/api/v1/projects",
    scope: "read",
    summary: "List projects.",
    projects: "filtered",
    command: "project:list",
    answer: "project:list",
  },
  addProject: {
    method: "POST",
    path: "/api/v1/projects",
    scope: "admin",
    summary: "Add a directory as a project.",
    status: 201,
    command: "project:add",
    answer: "project:added",
  },
  removeProject: {
    method: "DELETE",
    path: "/api/v1/projects/{projectId}",
    scope: "admin",
    summary: "Remove a project from the list. No file and no session is deleted.",
    command: "project:remove",
    answer: "project:removed",
  },
  listAgents: {
    method: "GET",
    path: "/api/v1/agents",
    scope: "read",
    summary: "List agents with their state.",
    projects: "shared",
    command: "agent:list",
    answer: "agent:list",
  },
  readAgentOptions: {
    method: "GET",
    path: "/api/v1/agents/{cliType}/options",
    scope: "read",
    summary: "Read what sessions of an agent can be set to, what new ones start with, and its favourite models.",
    projects: "shared",
    command: "agent:options",
    answer: "agent:options",
  },
  chooseAgentOption: {
    method: "POST",
    path: "/api/v1/agents/{cliType}/options",
    scope: "admin",
    summary: "Set what new sessions of an agent start with: its model, for example.",
    command: "agent:choose",
    answer: "agent:options",
  },
  setFavouriteModel: {
    method: "POST",
    path: "/api/v1/agents/{cliType}/favourites",
    scope: "admin",
    summary: "Put a model of an agent first wherever one is chosen, or no longer.",
    command: "agent:favourite",
    answer: "agent:options",
  },
  listSessions: {
    method: "GET",
    path: "/api/v1/sessions",
    scope: "read",
    summary: "List sessions of one project or of all, most recent activity first.",
    projects: "filtered",
    input: z.object({ projectId: z.optional(ProjectId), includeArchived: z.optional(z.boolean()) }),
    output: z.object({ sessions: z.array(SessionRow) }),
  },
  createSession: {
    method: "POST",
    path: "/api/v1/sessions",
    scope: "act",
    summary: "Create a session. With waitForAgent=false it is there at once and its agent starts behind it.",
    status: 201,
    command: "session:create",
    answer: "session:created",
  },
  readSession: {
    method: "GET",
    path: "/api/v1/sessions/{sessionId}",
    scope: "read",
    summary: "Read a session: its newest entries, turn, queue, and open permissions and questions. Starts no agent.",
    input: z.object({ sessionId: SessionId, ...window }),
    output: SessionHistory,
  },
  followSession: {
    method: "GET",
    path: "/api/v1/sessions/{sessionId}/events",
    scope: "read",
    summary:
      "Follow a session as server-sent events. The first is session:history, then every fact in order with its seq as the event's id. Last-Event-ID (or after) continues without loss: session:resumed and the missed facts, or session:history again, which replaces everything before it.",
    input: z.object({ sessionId: SessionId, ...window, after: z.optional(Seq) }),
    output: z.union([PlainServerMessage, z.intersection(z.object({ sessionId: SessionId, seq: Seq }), FactBody)]),
    isStream: true,
  },
  readEntries: {
    method: "GET",
    path: "/api/v1/sessions/{sessionId}/entries",
    scope: "read",
    summary: "Read older entries, before one that is known.",
    command: "session:page",
    answer: "session:page",
  },
  readOutput: {
    method: "GET",
    path: "/api/v1/sessions/{sessionId}/entries/{entryId}/output",
    scope: "read",
    summary: "Read a piece of an output that is too long for its entry.",
    command: "session:output",
    answer: "session:output",
  },
  listChildren: {
    method: "GET",
    path: "/api/v1/sessions/{sessionId}/children",
    scope: "read",
    summary: "List the agents that the session's agent started.",
    command: "session:children",
    answer: "session:children",
  },
  sendMessage: {
    method: "POST",
    path: "/api/v1/sessions/{sessionId}/messages",
    scope: "act",
    summary: "Send a message. While a turn runs it is queued.",
    command: "session:send",
    answer: "ok",
  },
  steerTurn: {
    method: "POST",
    path: "/api/v1/sessions/{sessionId}/steer",
    scope: "act",
    summary: "Send a message into the running turn, where the agent can take it.",
    command: "session:steer",
    answer: "ok",
  },
  cancelTurn: {
    method: "POST",
    path: "/api/v1/sessions/{sessionId}/cancel",
    scope: "act",
    summary: "Cancel the running turn and pause the queue.",
    command: "session:cancel",
    answer: "ok",
  },
  resumeQueue: {
    method: "POST",
    path: "/api/v1/sessions/{sessionId}/queue/resume",
    scope: "act",
    summary: "Continue a paused queue.",
    command: "session:queue-resume",
    answer: "ok",
  },
  retryTurn: {
    method: "POST",
    path: "/api/v1/sessions/{sessionId}/retry",
    scope: "act",
    summary: "Send the last message again after its turn failed or was interrupted.",
    command: "session:retry",
    answer: "ok",
  },
  killSession: {
    method: "POST",
    path: "/api/v1/sessions/{sessionId}/kill",
    scope: "act",
    summary: "End the session's agent and its children. The transcript stays.",
    command: "session:kill",
    answer: "ok",
  },
  configureSession: {
    method: "POST",
    path: "/api/v1/sessions/{sessionId}/config",
    scope: "act",
    summary: "Set one option of the agent: its model or mode, for example.",
    command: "session:configure",
    answer: "session:config",
  },
  renameSession: {
    method: "PATCH",
    path: "/api/v1/sessions/{sessionId}",
    scope: "act",
    summary: "Rename a session.",
    command: "session:rename",
    answer: "session:title-updated",
  },
  archiveSession: {
    method: "POST",
    path: "/api/v1/sessions/{sessionId}/archive",
    scope: "act",
    summary: "Archive a session. A running turn is cancelled.",
    command: "session:archive",
    answer: "session:archived",
  },
  unarchiveSession: {
    method: "POST",
    path: "/api/v1/sessions/{sessionId}/unarchive",
    scope: "act",
    summary: "Bring an archived session back.",
    command: "session:unarchive",
    answer: "session:unarchived",
  },
  deleteSession: {
    method: "DELETE",
    path: "/api/v1/sessions/{sessionId}",
    scope: "admin",
    summary: "Delete a session permanently.",
    command: "session:delete",
    answer: "session:deleted",
  },
  answerPermission: {
    method: "POST",
    path: "/api/v1/sessions/{sessionId}/permissions/{permissionId}",
    scope: "act",
    summary: "Answer a permission request with one of its options, or cancel it.",
    command: "permission:respond",
    answer: "permission:resolved",
  },
  answerQuestion: {
    method: "POST",
    path: "/api/v1/sessions/{sessionId}/questions/{elicitationId}",
    scope: "act",
    summary: "Answer a question of the agent.",
    command: "elicitation:respond",
    answer: "elicitation:resolved",
  },
  readInbox: {
    method: "GET",
    path: "/api/v1/inbox",
    scope: "read",
    summary: "List everything that waits for the user, and what works.",
    projects: "filtered",
    command: "inbox:list",
    answer: "inbox",
  },
  search: {
    method: "GET",
    path: "/api/v1/search",
    scope: "read",
    summary: "Search the text of all sessions.",
    projects: "filtered",
    command: "search",
    answer: "search:results",
  },
  listTokens: {
    method: "GET",
    path: "/api/v1/tokens",
    scope: "admin",
    summary: "List the tokens of programs, without their secrets.",
    input: z.object({}),
    output: ApiTokenList,
    isForUser: true,
  },
  createToken: {
    method: "POST",
    path: "/api/v1/tokens",
    scope: "admin",
    summary: "Create a token for a program. Its secret is in this answer only.",
    status: 201,
    input: NewApiToken,
    output: CreatedApiToken,
    isForUser: true,
  },
  revokeToken: {
    method: "DELETE",
    path: "/api/v1/tokens/{tokenId}",
    scope: "admin",
    summary: "Revoke a token. Its connections are closed at once.",
    input: z.object({ tokenId: z.string().check(z.minLength(1), z.maxLength(64)) }),
    output: RevokedApiToken,
    isForUser: true,
  },
  listHooks: {
    method: "GET",
    path: "/api/v1/hooks",
    scope: "admin",
    summary: "List the hooks that start prompts, without their secrets.",
    input: z.object({}),
    output: HookList,
    isForUser: true,
  },
  saveHook: {
    method: "POST",
    path: "/api/v1/hooks",
    scope: "admin",
    summary: "Create or replace a hook. Its secret is in this answer only.",
    status: 201,
    input: NewHook,
    output: CreatedHook,
    isForUser: true,
  },
  changeHook: {
    method: "PATCH",
    path: "/api/v1/hooks/{name}",
    scope: "admin",
    summary: "Change project, agent or text of a hook. Its secret stays.",
    input: ChangedHook,
    output: z.object({ hook: ShownHook }),
    isForUser: true,
  },
  testHook: {
    method: "POST",
    path: "/api/v1/hooks/{name}/test",
    scope: "admin",
    summary: "Call a hook without its secret, to see what it starts.",
    status: 201,
    input: HookTest,
    output: StartedHook,
    isForUser: true,
  },
  removeHook: {
    method: "DELETE",
    path: "/api/v1/hooks/{name}",
    scope: "admin",
    summary: "Remove a hook.",
    input: z.object({ name: HookName }),
    output: RemovedHook,
    isForUser: true,
  },
  listPeople: {
    method: "GET",
    path: "/api/v1/people",
    scope: "read",
    summary: "List people with their roles. Whoever gives no roles sees only themselves.",
    projects: "shared",
    input: z.object({}),
    output: PeopleList,
  },
  addPerson: {
    method: "POST",
    path: "/api/v1/people",
    scope: "admin",
    summary: "Add a person. Invite them, and give them roles in projects: without one, they see nothing.",
    status: 201,
    input: NewPerson,
    output: OnePerson,
    isForUser: true,
  },
  changePerson: {
    method: "PATCH",
    path: "/api/v1/people/{personId}",
    scope: "admin",
    summary: "Rename a person, change their e-mail address, make them an owner or a member, disable or enable them.",
    input: ChangedPerson,
    output: OnePerson,
    isForUser: true,
  },
  removePerson: {
    method: "DELETE",
    path: "/api/v1/people/{personId}",
    scope: "admin",
    summary: "Remove a person with their devices, tokens and roles. What they did keeps their name.",
    input: PersonOnly,
    output: RemovedPerson,
    isForUser: true,
  },
  invitePerson: {
    method: "POST",
    path: "/api/v1/people/{personId}/invitation",
    scope: "admin",
    summary: "Make a link that signs in one device of a person, once.",
    status: 201,
    input: PersonOnly,
    output: PersonInvitation,
    isForUser: true,
  },
  giveRole: {
    method: "POST",
    path: "/api/v1/people/{personId}/roles",
    scope: "admin",
    summary: "Give a person a role in a project: viewer, member or owner. null takes it away.",
    input: GivenRole,
    output: OnePerson,
    isForUser: true,
  },
} as const satisfies Readonly<Record<string, CommandOperation | OwnOperation>>;

export type OperationId = keyof typeof API_OPERATIONS;
export type ApiOperation = CommandOperation | OwnOperation;
/** Operations of HTTP alone. */
export type OwnOperationId = {
  [Id in OperationId]: (typeof API_OPERATIONS)[Id] extends { readonly input: unknown } ? Id : never;
}[OperationId];

type Fields<Message> = Omit<Message, "type" | "requestId" | "commandId">;
/** What an operation takes: path parameters, query and body in one object. */
export type OperationInput<Id extends OperationId> = (typeof API_OPERATIONS)[Id] extends {
  readonly command: infer Type extends ClientMessage["type"];
}
  ? Fields<Extract<z.input<typeof ClientMessage>, { type: Type }>>
  : (typeof API_OPERATIONS)[Id] extends { readonly input: infer Input extends z.ZodMiniType }
    ? z.input<Input>
    : never;
/** What an operation answers. */
export type OperationOutput<Id extends OperationId> = (typeof API_OPERATIONS)[Id] extends {
  readonly answer: infer Type extends ServerMessage["type"];
}
  ? Extract<ServerMessage, { type: Type }>
  : (typeof API_OPERATIONS)[Id] extends { readonly output: infer Output extends z.ZodMiniType }
    ? z.output<Output>
    : never;

const ENVELOPE = new Set(["type", "requestId", "commandId"]);

/** The schema of each field that an operation takes. */
export function fieldsOf(operation: ApiOperation): Readonly<Record<string, z.ZodMiniType>> {
  if (!("command" in operation)) return operation.input.shape as Readonly<Record<string, z.ZodMiniType>>;
  const message = ClientMessage.def.options.find(({ shape }) => shape.type.def.values[0] === operation.command);
  const fields = Object.entries(message?.shape ?? {}).filter(([name]) => !ENVELOPE.has(name));
  return Object.fromEntries(fields) as Readonly<Record<string, z.ZodMiniType>>;
}

/** The schema of an operation's answer. */
export function outputOf(operation: ApiOperation): z.ZodMiniType {
  if (!("answer" in operation)) return operation.output;
  const plain = PlainServerMessage.def.options.find(({ shape }) => shape.type.def.values[0] === operation.answer);
  const fact = FactBody.def.options.find(({ shape }) => shape.type.def.values[0] === operation.answer);
  if (fact) return z.extend(fact, { sessionId: SessionId, seq: Seq });
  return plain as z.ZodMiniType;
}

export function pathParametersOf(path: string): readonly string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].flatMap(([, name]) => name ?? []);
}

/** Whether the other fields are in the query rather than in a body. */
export function isInQuery({ method }: Pick<ApiOperation, "method">): boolean {
  return method === "GET" || method === "DELETE";
}
