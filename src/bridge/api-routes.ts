import { createHash } from "node:crypto";
import { z } from "zod/mini";
import { ownOperationNeeds } from "../access/decisions.ts";
import type { IncomingHooks } from "../access/incoming-hooks.ts";
import { isNestedDeeper } from "../lib/nesting.ts";
import { parseJson } from "../lib/parse-json.ts";
import { type ApiScope, includesScope, NewApiToken } from "../protocol/api-tokens.ts";
import { ClientMessage } from "../protocol/client-messages.ts";
import { REFUSE, RefusalError } from "../protocol/errors.ts";
import {
  API_OPERATIONS,
  type ApiErrorCode,
  type ApiOperation,
  fieldsOf,
  IDEMPOTENCY_KEY_CHARS_MAX,
  isInQuery,
  type OperationId,
  type OwnOperationId,
  pathParametersOf,
} from "../protocol/http-api.ts";
import { type ProjectId, Seq, type SessionId } from "../protocol/ids.ts";
import { ChangedHook, HookTest, NewHook } from "../protocol/incoming-hooks.ts";
import { FRAME_BYTES_MAX } from "../protocol/limits.ts";
import { ChangedPerson, GivenRole, NewPerson, OWNER_ID, PersonOnly } from "../protocol/people.ts";
import type { PersonId } from "../protocol/person-ref.ts";
import type { Answer } from "../sessions/answer.ts";
import type { AccessControl } from "./access-control.ts";
import { answerMessage } from "./answer-message.ts";
import { apiError, refused } from "./api-errors.ts";
import type { Reach } from "./device-routes.ts";
import { invitePerson, shownPerson } from "./people-answers.ts";
import { json } from "./plain-pages.ts";
import { readBody } from "./read-body.ts";
import { SessionEvents } from "./session-events.ts";
import { actorOf, type ConnectionDeps, partOf } from "./socket-connection.ts";
import { startHook } from "./start-hook.ts";

export const API_CALLS_PER_MINUTE_MAX = 600;
const STREAMS_PER_CALLER_MAX = 50;
const MINUTE_MS = 60_000;

/** Who calls: the user, by the app's token or a device, or a program with a token of its own. */
export interface ApiCaller {
  /** Null: the user. */
  readonly tokenId: string | null;
  /** Null: a program with a token. */
  readonly deviceId: string | null;
  /** On whose behalf: no caller has more rights than its person. */
  readonly personId: PersonId;
  readonly scope: ApiScope;
  /** Null: all projects. */
  readonly projectId: ProjectId | null;
  /** May make and revoke tokens. */
  readonly mayAdmit: boolean;
}

interface ApiRoutesDeps {
  readonly connection: ConnectionDeps;
  readonly access: AccessControl;
  readonly reach: Reach;
  readonly hooks: IncomingHooks;
  /** Milliseconds on a monotonic clock. */
  readonly monotonicMs: () => number;
}

interface Call {
  readonly id: OperationId;
  readonly operation: ApiOperation;
  readonly input: Readonly<Record<string, unknown>>;
  readonly caller: ApiCaller;
  readonly request: Request;
}

const ROUTES = Object.entries(API_OPERATIONS).map(([id, operation]) => ({
  id: id as OperationId,
  operation: operation as ApiOperation,
  pattern: new RegExp(`^${operation.path.replace(/\{(\w+)\}/g, "(?<$1>[^/]+)")}$`),
}));

/** `/api/v1/…`: the commands of the socket, for programs without one. The table is `protocol/http-api.ts`. */
export class ApiRoutes {
  readonly #deps: ApiRoutesDeps;
  readonly #calls = new Map<string, { since: number; count: number }>();
  readonly #streams = new Map<string, number>();
  /** Streams that are open, with the person who reads. */
  readonly #readers = new Map<SessionEvents, PersonId>();

  constructor(deps: ApiRoutesDeps) {
    this.#deps = deps;
  }

  /** Closes their streams: clients reconnect and get what they may still read. */
  cut(person: PersonId): void {
    for (const [events, reader] of [...this.#readers]) if (reader === person) events.end();
  }

  async answer(request: Request, url: URL, caller: ApiCaller): Promise<Response> {
    try {
      return await this.#answer(request, url, caller);
    } catch (error) {
      const { connection } = this.#deps;
      if (error instanceof ApiFailure) return error.response;
      if (error instanceof RefusalError) return refused(error.refusal);
      connection.onError(error);
      return refused(connection.unwritable() ?? REFUSE.internal());
    }
  }

  async #answer(request: Request, url: URL, caller: ApiCaller): Promise<Response> {
    const here = ROUTES.filter(({ pattern }) => pattern.test(url.pathname));
    const method = request.method === "HEAD" ? "GET" : request.method;
    const route = here.find(({ operation }) => operation.method === method);
    if (here.length === 0)
      throw new ApiFailure(404, "NOT_FOUND", "No such address. GET /api/openapi.json lists all of them.");
    if (!route) {
      const allowed = here.map(({ operation }) => operation.method).join(", ");
      throw new ApiFailure(405, "METHOD_NOT_ALLOWED", `Use ${allowed} here.`, { Allow: allowed });
    }
    const { id, operation, pattern } = route;
    this.#countCall(caller);
    checkScope(operation, caller);
    this.#checkOwn(id, caller);
    const given = await givenTo(operation, request, url, pattern);
    const call: Call = { id, operation, input: given, caller, request };
    return "command" in operation ? this.#command(call, operation.command) : this.#own(call);
  }

  async #command({ operation, input, caller, request, id }: Call, type: ClientMessage["type"]): Promise<Response> {
    const { connection } = this.#deps;
    const commandId = operation.method === "GET" ? undefined : await this.#commandId(request, caller, id, input);
    const limited = type === "search" && caller.projectId !== null ? { projectId: caller.projectId } : {};
    const read = ClientMessage.safeParse({ ...limited, ...input, type, ...(commandId && { commandId }) });
    if (!read.success) throw invalid(read.error);
    await this.#checkProject(operation, read.data, caller);
    const { gate } = connection;
    const { personId } = caller;
    const refusal = await gate.refusal(personId, read.data);
    if (refusal) return refused(refusal);
    // The table has no command that needs a connection.
    const message = read.data as Parameters<typeof answerMessage>[1];
    const answer = await answerMessage(connection, message, actorOf(gate, personId));
    const part = gate.isUnlimited(personId) ? answer : await partOf(gate, personId, answer);
    return this.#respond(operation, await this.#withinProject(part, caller));
  }

  #respond(operation: ApiOperation, answer: Answer): Response {
    const status = operation.status ?? 200;
    switch (answer.kind) {
      case "ok":
        return json(status, { type: "ok", ...(answer.seq !== undefined && { seq: answer.seq }) });
      case "fact":
        return json(status, answer.fact);
      case "message":
      case "repeated":
      case "started":
        return json(status, answer.message);
      case "config": {
        const { sessionId, seq, config } = answer;
        return json(status, { type: "session:config", sessionId, seq, config });
      }
      case "refused":
        return refused(answer.refusal);
      default:
        return answer satisfies never;
    }
  }

  #own(call: Call): Promise<Response> {
    const { operation, input } = call;
    if ("command" in operation) throw new Error("commands are answered as commands");
    const read = operation.input.safeParse(input);
    if (!read.success) throw invalid(read.error);
    // Only operations without a socket command have none.
    return this.#ownAnswers[call.id as OwnOperationId]({ ...call, input: read.data });
  }

  readonly #ownAnswers: Readonly<Record<OwnOperationId, (call: Call) => Promise<Response>>> = {
    listSessions: async ({ input, caller }) => {
      const { sessions, projects } = this.#deps.connection;
      const { projectId, includeArchived = false } = API_OPERATIONS.listSessions.input.parse(input);
      const within = this.#deps.connection.gate.within(caller.personId);
      const own = projects
        .list()
        .filter(({ id }) => caller.projectId === null || id === caller.projectId)
        .filter(({ id }) => within === null || within.includes(id));
      const wanted = own.filter(({ id }) => projectId === undefined || id === projectId);
      if (projectId !== undefined && wanted.length === 0) throw new RefusalError(REFUSE.projectNotFound());
      const rows = await Promise.all(wanted.map(({ id }) => sessions.list(id, includeArchived)));
      const all = rows.flatMap((some) => some ?? []);
      return json(200, { sessions: all.toSorted((one, other) => other.lastActiveAt.localeCompare(one.lastActiveAt)) });
    },
    readSession: async ({ input, caller }) => {
      const { sessionId, limit } = API_OPERATIONS.readSession.input.parse(input);
      await this.#checkSession(sessionId, caller);
      const history = await this.#deps.connection.sessions.open(sessionId, undefined, limit);
      return history ? json(200, history) : refused(REFUSE.sessionNotFound());
    },
    followSession: async ({ input, caller, request }) => {
      const { sessionId, limit, after } = API_OPERATIONS.followSession.input.parse(input);
      await this.#checkSession(sessionId, caller);
      return this.#followSession(sessionId, { limit, after: lastEventId(request) ?? after }, caller);
    },
    listTokens: async ({ caller }) => {
      const { connection, access } = this.#deps;
      const isAll = connection.gate.isUnlimited(caller.personId);
      return json(200, { tokens: access.apiTokens.list(isAll ? null : caller.personId) });
    },
    createToken: async ({ input, caller }) => {
      const { connection, access } = this.#deps;
      const wanted = NewApiToken.parse(input);
      const within = connection.gate.within(caller.personId);
      const isThere = (id: ProjectId) =>
        connection.projects.list().some((project) => project.id === id) && (within === null || within.includes(id));
      if (wanted.projectId !== undefined && !isThere(wanted.projectId))
        throw new RefusalError(REFUSE.projectNotFound());
      return json(201, await access.apiTokens.create(wanted, caller.personId));
    },
    revokeToken: async ({ input, caller }) => {
      const { connection, access } = this.#deps;
      const { tokenId } = API_OPERATIONS.revokeToken.input.parse(input);
      const isTheirs =
        connection.gate.isUnlimited(caller.personId) || access.apiTokens.personOf(tokenId) === caller.personId;
      if (isTheirs && (await access.apiTokens.revoke(tokenId))) return json(200, { revoked: tokenId });
      throw new ApiFailure(404, "NOT_FOUND", "Token not found. It may have been revoked already.");
    },
    listHooks: async () => json(200, { hooks: this.#deps.hooks.list() }),
    saveHook: async ({ input }) => {
      const wanted = NewHook.parse(input);
      this.#checkHook(wanted);
      return json(201, await this.#deps.hooks.create(wanted));
    },
    changeHook: async ({ input }) => {
      const wanted = ChangedHook.parse(input);
      this.#checkHook(wanted);
      const hook = await this.#deps.hooks.change(wanted);
      if (hook) return json(200, { hook });
      throw hookNotFound();
    },
    testHook: async ({ input }) => {
      const { connection, hooks } = this.#deps;
      const { name, body = "" } = HookTest.parse(input);
      const hook = hooks.find(name);
      if (!hook) throw hookNotFound();
      const started = await startHook(connection, hooks, hook, { text: body, key: hooks.newKey() });
      return started.refusal ? refused(started.refusal) : json(201, { sessionId: started.sessionId });
    },
    removeHook: async ({ input }) => {
      const { name } = API_OPERATIONS.removeHook.input.parse(input);
      if (await this.#deps.hooks.remove(name)) return json(200, { removed: name });
      throw hookNotFound();
    },
    listPeople: async ({ caller: { personId } }) => {
      const { people, service } = this.#deps.access;
      const seen = people.list().filter(({ id }) => id === personId || this.#mayListPeople(personId));
      const shown = seen.map(({ id }) => this.#shown(id, personId));
      return json(200, { people: shown, ...(service && { service: service.name }) });
    },
    addPerson: async ({ input, caller }) => {
      const { id } = await this.#deps.access.people.add(NewPerson.parse(input));
      return json(201, { person: this.#shown(id, caller.personId) });
    },
    changePerson: async ({ input, caller }) => {
      const { people, devices } = this.#deps.access;
      const wanted = ChangedPerson.parse(input);
      refuseOneself(caller, wanted);
      await people.change(wanted);
      if (wanted.disabled) await devices.revokeAll(wanted.personId);
      return json(200, { person: this.#shown(wanted.personId, caller.personId) });
    },
    removePerson: async ({ input, caller }) => {
      const { people, devices, apiTokens } = this.#deps.access;
      const { personId } = PersonOnly.parse(input);
      refuseOneself(caller, { personId, disabled: true });
      await people.remove(personId);
      await Promise.all([devices.revokeAll(personId), apiTokens.revokeAll(personId)]);
      return json(200, { removed: personId });
    },
    invitePerson: async ({ input, caller }) => {
      const { access, reach } = this.#deps;
      const { personId } = PersonOnly.parse(input);
      return json(201, invitePerson(access, reach, personId, caller.deviceId));
    },
    giveRole: async ({ input, caller }) => {
      const { connection, access } = this.#deps;
      const { personId, projectId, role } = GivenRole.parse(input);
      if (!connection.projects.list().some(({ id }) => id === projectId))
        throw new RefusalError(REFUSE.projectNotFound());
      const refusal = connection.gate.refusalOf(caller.personId, "manage", projectId);
      if (refusal) throw new RefusalError(refusal);
      await access.people.giveRole(personId, projectId, role);
      return json(200, { person: this.#shown(personId, caller.personId) });
    },
  };

  /** Who may see all people: everyone who may assign roles. */
  #mayListPeople(id: PersonId): boolean {
    const { connection } = this.#deps;
    const roles = connection.gate.standing(id)?.roles ?? [];
    return (
      connection.gate.isUnlimited(id) || roles.some(({ projectId }) => connection.gate.may(id, "manage", projectId))
    );
  }

  #shown(id: PersonId, reader: PersonId) {
    const { access, connection } = this.#deps;
    return shownPerson(access, connection.gate.within(reader), reader, id);
  }

  /**
   * Operations that only HTTP has declare their required right here; those about a session or a project check it there,
   * too.
   */
  #checkOwn(id: OperationId, { personId }: ApiCaller): void {
    const { gate } = this.#deps.connection;
    if (gate.isUnlimited(personId)) return;
    const needs = ownOperationNeeds(id);
    const refusal = needs === null ? null : gate.refusalOf(personId, needs, null);
    if (refusal) throw new RefusalError(refusal);
  }

  /** Project and agent of a hook must be there; what is absent stays. */
  #checkHook({ projectId, cliType }: ChangedHook): void {
    const { projects, agents } = this.#deps.connection;
    if (projectId !== undefined && !projects.list().some(({ id }) => id === projectId))
      throw new RefusalError(REFUSE.projectNotFound());
    if (cliType !== undefined && !agents.list().some(({ id }) => id === cliType))
      throw new RefusalError(REFUSE.agentUnknown(cliType));
  }

  async #followSession(
    sessionId: SessionId,
    { limit, after }: { readonly limit: number | undefined; readonly after: number | undefined },
    { tokenId, personId }: ApiCaller,
  ): Promise<Response> {
    const { connection, access } = this.#deps;
    const name = keyOwner({ tokenId, personId }) ?? "";
    const open = this.#streams.get(name) ?? 0;
    if (open >= STREAMS_PER_CALLER_MAX)
      throw new RefusalError(REFUSE.limitExceeded("streams of one caller", STREAMS_PER_CALLER_MAX));
    this.#streams.set(name, open + 1);
    let left: (() => void) | null = null;
    const onEnd = () => {
      left?.();
      this.#streams.set(name, (this.#streams.get(name) ?? 1) - 1);
    };
    const events = await SessionEvents.open({ deps: connection, sessionId, after, limit, onEnd });
    if (events === null) {
      onEnd();
      return refused(REFUSE.sessionNotFound());
    }
    const released = tokenId === null ? null : access.apiTokens.connected(tokenId, () => events.end());
    this.#readers.set(events, personId);
    left = () => {
      released?.();
      this.#readers.delete(events);
    };
    // Their rights may have changed since the check.
    if (!(await connection.gate.mayIn(personId, "look", sessionId))) events.end();
    return events.response;
  }

  /** The same key with the same request acts once; the first answer is returned again, also after a restart. */
  async #commandId(request: Request, caller: ApiCaller, id: OperationId, input: object): Promise<string | undefined> {
    const key = request.headers.get("idempotency-key");
    if (key === null) return undefined;
    if (key === "" || key.length > IDEMPOTENCY_KEY_CHARS_MAX)
      throw invalidField(`Idempotency-Key: expected 1 to ${IDEMPOTENCY_KEY_CHARS_MAX} characters`);
    // Keys are separate for each caller: no caller gets the answer to another's request.
    const name = digest([keyOwner(caller), key]);
    if (!(await this.#deps.connection.sessions.claimKey(`api-key-${name}`, digest([id, input]))))
      throw new ApiFailure(409, "KEY_REUSED", "This Idempotency-Key was used for another request. Use a new one.");
    return `api-${name}`;
  }

  async #checkProject(operation: ApiOperation, message: ClientMessage, caller: ApiCaller): Promise<void> {
    if (caller.projectId === null) return;
    if ("projectId" in message && message.projectId !== undefined) {
      if (message.projectId !== caller.projectId) throw new RefusalError(REFUSE.projectNotFound());
    } else if ("sessionId" in message && message.sessionId !== undefined)
      await this.#checkSession(message.sessionId, caller);
    else if (operation.projects === undefined)
      throw new ApiFailure(403, "FORBIDDEN", "This token is for one project. Create one for all projects in Settings.");
  }

  /** A session of another project is as unknown as one that does not exist. */
  async #checkSession(sessionId: SessionId, caller: ApiCaller): Promise<void> {
    if (!(await this.#isOwn(sessionId, caller))) throw new RefusalError(REFUSE.sessionNotFound());
  }

  async #isOwn(sessionId: SessionId, { projectId, personId }: ApiCaller): Promise<boolean> {
    if (!(await this.#deps.connection.gate.mayIn(personId, "look", sessionId))) return false;
    if (projectId === null) return true;
    return (await this.#deps.connection.sessions.view(sessionId))?.row.projectId === projectId;
  }

  /** Lists of everything, without what belongs to other projects. */
  async #withinProject(answer: Answer, caller: ApiCaller): Promise<Answer> {
    if (caller.projectId === null || answer.kind !== "message") return answer;
    const { message } = answer;
    if (message.type === "project:list")
      return {
        ...answer,
        message: { ...message, projects: message.projects.filter(({ id }) => id === caller.projectId) },
      };
    if (message.type !== "inbox") return answer;
    const own = await Promise.all(message.items.map(({ sessionId }) => this.#isOwn(sessionId, caller)));
    return { ...answer, message: { ...message, items: message.items.filter((_item, index) => own[index]) } };
  }

  #countCall(caller: ApiCaller): void {
    const name = keyOwner(caller);
    if (name === null) return;
    const now = this.#deps.monotonicMs();
    const known = this.#calls.get(name);
    const minute = known && now - known.since < MINUTE_MS ? known : { since: now, count: 0 };
    minute.count += 1;
    this.#calls.set(name, minute);
    if (minute.count <= API_CALLS_PER_MINUTE_MAX) return;
    const waitS = Math.ceil((minute.since + MINUTE_MS - now) / 1_000);
    const words = `Over the limit of ${API_CALLS_PER_MINUTE_MAX} requests per minute for one token. Wait ${waitS} s.`;
    throw new ApiFailure(429, "RATE_LIMITED", words, { "Retry-After": String(waitS) });
  }
}

/** Whose keys and counts these are; null: the owner's, by the app's token or a device. */
function keyOwner({ tokenId, personId }: Pick<ApiCaller, "tokenId" | "personId">): string | null {
  return tokenId ?? (personId === OWNER_ID ? null : `person ${personId}`);
}

/** A user who locks themselves out could not undo that. */
function refuseOneself({ personId: own }: ApiCaller, { personId, role, disabled }: ChangedPerson): void {
  if (own === personId && (disabled || role === "member"))
    throw new RefusalError(REFUSE.invalidMessage("personId: another owner has to take your own rights away"));
}

function checkScope(operation: ApiOperation, { scope, mayAdmit }: ApiCaller): void {
  if ("isForUser" in operation && operation.isForUser && !mayAdmit)
    throw new ApiFailure(
      403,
      "FORBIDDEN",
      "Only you manage tokens, hooks and people: in Settings, or with liminal tokens, liminal hooks and liminal people.",
    );
  if (includesScope(scope, operation.scope)) return;
  throw new ApiFailure(
    403,
    "FORBIDDEN",
    `This token may only ${scope}; the request needs ${operation.scope}. Create such a token in Settings › Tokens.`,
  );
}

/**
 * Path, query and body as one object. Unknown fields are refused: a mistyped one would otherwise be ignored silently.
 */
async function givenTo(
  operation: ApiOperation,
  request: Request,
  url: URL,
  pattern: RegExp,
): Promise<Record<string, unknown>> {
  const fields = fieldsOf(operation);
  const inPath = pathParametersOf(operation.path);
  const rest = isInQuery(operation) ? fromQuery(url, fields) : await fromBody(request);
  for (const name of Object.keys(rest))
    if (!(name in fields) || inPath.includes(name)) throw invalidField(`${name}: unknown field`);
  const path = Object.entries(pattern.exec(url.pathname)?.groups ?? {}).map(([name, text]) => {
    try {
      return [name, decodeURIComponent(text)] as const;
    } catch {
      throw invalidField(`${name}: not a valid escape`);
    }
  });
  return { ...rest, ...Object.fromEntries(path) };
}

/** Numbers and booleans are text in a query. */
function fromQuery(url: URL, fields: ReturnType<typeof fieldsOf>): Record<string, unknown> {
  const given: Record<string, unknown> = {};
  for (const name of new Set(url.searchParams.keys())) {
    if (name === "token") continue;
    const texts = url.searchParams.getAll(name);
    const field = fields[name];
    const candidates: readonly unknown[] = [texts.length === 1 ? texts[0] : texts, texts, parseJson(texts[0] ?? "")];
    given[name] = candidates.find((value) => field?.safeParse(value).success) ?? texts[0];
  }
  return given;
}

async function fromBody(request: Request): Promise<Record<string, unknown>> {
  const read = await readBody(request, FRAME_BYTES_MAX);
  if (read === "too large")
    throw new ApiFailure(413, "TOO_LARGE", `The body exceeds the limit of ${FRAME_BYTES_MAX / 1024 / 1024} MiB.`);
  if (read === "no text") throw invalidField("body: not UTF-8 text");
  if (read.text.trim() === "") return {};
  const body = z.record(z.string(), z.unknown()).safeParse(parseJson(read.text));
  if (!body.success) throw invalidField("body: expected a JSON object");
  if (isNestedDeeper(body.data)) throw invalidField("body: nested too deep");
  return body.data;
}

function lastEventId(request: Request): number | undefined {
  const text = request.headers.get("last-event-id");
  if (text === null) return undefined;
  const seq = Seq.safeParse(Number(text));
  if (!seq.success || text.trim() === "")
    throw invalidField("Last-Event-ID: expected the id of an event of this session");
  return seq.data;
}

/** Ends a call with an answer. */
class ApiFailure extends Error {
  readonly response: Response;

  constructor(status: number, code: ApiErrorCode, words: string, headers: Readonly<Record<string, string>> = {}) {
    super(words);
    this.response = apiError(status, { error: words, code }, headers);
  }
}

function hookNotFound(): ApiFailure {
  return new ApiFailure(404, "NOT_FOUND", "Hook not found. List hooks with: liminal hooks");
}

function invalid({ issues: [issue] }: z.core.$ZodError): RefusalError {
  return invalidField(issue ? `${issue.path.join(".") || "body"}: ${issue.message}` : "body: not valid");
}

function invalidField(details: string): RefusalError {
  return new RefusalError(REFUSE.invalidMessage(details));
}

function digest(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("base64url");
}
