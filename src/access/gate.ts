import type { ClientMessage } from "../protocol/client-messages.ts";
import { REFUSE, type Refusal } from "../protocol/errors.ts";
import type { Fact } from "../protocol/facts.ts";
import { type ElicitationId, ProjectId, SessionId } from "../protocol/ids.ts";
import type { OwnStanding } from "../protocol/people.ts";
import type { PersonId, PersonRef } from "../protocol/person-ref.ts";
import type { PlainServerMessage } from "../protocol/server-messages.ts";
import { audienceOf, decisionOf } from "./decisions.ts";
import type { Action } from "./may.ts";
import type { People } from "./people.ts";

/** The project of each thing; null: it does not exist. */
export interface Whereabouts {
  readonly session: (id: SessionId) => Promise<ProjectId | null>;
  readonly worktree: (id: string) => Promise<ProjectId | null>;
  readonly terminal: (id: string) => ProjectId | null;
  readonly schedule: (id: string) => Promise<ProjectId | null>;
  /** Undefined: it is for all projects. */
  readonly snippet: (id: string) => Promise<ProjectId | null | undefined>;
  readonly importRun: (id: string) => ProjectId | null;
  /** The session in which this is asked. */
  readonly question: (id: ElicitationId) => SessionId | null;
  /** Those with agents at that place. */
  readonly atPlace: (name: string) => readonly ProjectId[];
}

const ROLE_WORDS: Readonly<Record<Action, string>> = {
  connect: "a person who is not disabled",
  look: "the role viewer in the project",
  work: "the role member in the project",
  manage: "the role owner in the project",
  contribute: "the role member in a project",
  run: "an owner of the server",
};

/** Fields of a message with free content of the user. */
const FREE = new Set(["content", "attachments", "setting", "items", "body", "query"]);
const DEPTH_MAX = 4;

interface Named {
  readonly project: ProjectId | null;
  /** The refusal for those who may not see it, which is the same as for a missing one. */
  readonly isMissing: Refusal;
  /** It belongs to no project, but concerns all of them. */
  readonly isForAll?: true;
}

/** Decides who may send and receive what. For a person who may do everything it decides at once, without lookups. */
export class Gate {
  readonly #people: People;
  readonly #where: Whereabouts;
  /** A session stays in its project. */
  readonly #projects = new Map<SessionId, ProjectId>();

  constructor(people: People, where: Whereabouts) {
    this.#people = people;
    this.#where = where;
  }

  isUnlimited(id: PersonId): boolean {
    return this.#people.isUnlimited(id);
  }

  /** For facts: undefined while there is only the owner. */
  named(id: PersonId): PersonRef | undefined {
    return this.#people.named(id);
  }

  standing(id: PersonId): OwnStanding | undefined {
    return this.#people.standing(id);
  }

  may(id: PersonId, action: Action, project: ProjectId | null): boolean {
    return this.#people.may(id, action, project);
  }

  /** Whether they may do this in the session's project. */
  async mayIn(id: PersonId, action: Action, sessionId: SessionId): Promise<boolean> {
    if (this.isUnlimited(id)) return true;
    const project = await this.#projectOf(sessionId);
    return project !== null && this.may(id, action, project);
  }

  /** Null: they may send it. To them, what they may not see does not exist. */
  async refusal(id: PersonId, message: ClientMessage): Promise<Refusal | null> {
    if (this.isUnlimited(id)) return null;
    const { named, unnamed } = decisionOf(message);
    // If the project makes no difference, it is not looked up.
    if (named === unnamed) return this.may(id, named, null) ? null : REFUSE.forbidden(ROLE_WORDS[named]);
    const found = await this.#namedIn(message);
    if (found.length === 0) return this.may(id, unnamed, null) ? null : REFUSE.forbidden(ROLE_WORDS[unnamed]);
    const hidden = found.find(({ project, isForAll }) => !isForAll && !this.may(id, "look", project));
    if (hidden) return hidden.isMissing;
    const actionFor = ({ isForAll }: Named) => (isForAll ? unnamed : named);
    const denied = found.find((one) => !this.may(id, actionFor(one), one.project));
    return denied ? REFUSE.forbidden(ROLE_WORDS[actionFor(denied)]) : null;
  }

  /** The refusal for an operation without a message; null if it is allowed. */
  refusalOf(id: PersonId, action: Action, project: ProjectId | null): Refusal | null {
    if (this.may(id, action, project)) return null;
    if (project !== null && !this.may(id, "look", project)) return REFUSE.projectNotFound();
    return REFUSE.forbidden(ROLE_WORDS[action]);
  }

  /** The same for a session. */
  async refusalIn(id: PersonId, action: Action, sessionId: SessionId): Promise<Refusal | null> {
    if (await this.mayIn(id, action, sessionId)) return null;
    return (await this.mayIn(id, "look", sessionId)) ? REFUSE.forbidden(ROLE_WORDS[action]) : REFUSE.sessionNotFound();
  }

  /** The projects that they may look at; null: all. */
  within(id: PersonId): readonly ProjectId[] | null {
    return this.#people.within(id);
  }

  async mayHear(id: PersonId, { sessionId }: Pick<Fact, "sessionId">): Promise<boolean> {
    return this.mayIn(id, "look", sessionId);
  }

  /** What they receive of a published message; null: nothing. */
  async heard(id: PersonId, message: PlainServerMessage): Promise<PlainServerMessage | null> {
    if (this.isUnlimited(id)) return message;
    this.#learn(message);
    switch (audienceOf(message)) {
      case "everybody":
        return message;
      case "named":
        return (await this.#isOfOwnProject(id, message)) ? message : null;
      case "part":
        return this.part(id, message);
      default:
        return null;
    }
  }

  /** Their part of a list of everything. A message that is not a list is answered to everyone who may request it. */
  async part(id: PersonId, message: PlainServerMessage): Promise<PlainServerMessage | null> {
    if (this.isUnlimited(id)) return message;
    this.#learn(message);
    const sees = (project: ProjectId) => this.may(id, "look", project);
    const seesSession = ({ sessionId }: { readonly sessionId: SessionId }) => this.mayIn(id, "look", sessionId);
    switch (message.type) {
      case "hello":
        return this.#hello(id, message);
      case "project:list":
        return { ...message, projects: message.projects.filter((project) => sees(project.id)) };
      case "inbox":
        return { ...message, items: await filtered(message.items, seesSession) };
      case "session:results":
        return { ...message, results: await filtered(message.results, seesSession) };
      case "search:results":
        return { ...message, hits: message.hits.filter((hit) => sees(hit.projectId)) };
      case "usage:report":
        return { ...message, rows: message.rows.filter((row) => sees(row.projectId)) };
      case "snippet:list":
        return {
          ...message,
          snippets: message.snippets.filter(({ projectId }) => projectId === undefined || sees(projectId)),
        };
      case "terminal:list":
        return { ...message, terminals: message.terminals.filter((terminal) => sees(terminal.projectId)) };
      case "agent:status":
        return message.sessionId === undefined || (await seesSession({ sessionId: message.sessionId }))
          ? message
          : null;
      case "place:state":
        return this.#where.atPlace(message.name).some(sees) ? message : null;
      case "policy:state":
        return message.scope === "agent" || (await this.#isOfOwnProject(id, message)) ? message : null;
      default:
        return message;
    }
  }

  /** Whether an earlier answer belongs to a project that they may look at, or to none. */
  async maySee(id: PersonId, message: object): Promise<boolean> {
    if (this.isUnlimited(id) || !NAMING.some((field) => field in message)) return true;
    return this.#isOfOwnProject(id, message);
  }

  async #hello(id: PersonId, message: Extract<PlainServerMessage, { type: "hello" }>): Promise<PlainServerMessage> {
    const { type, version, protocol, agents, storage, person, ownProcesses = [] } = message;
    return {
      ...{ type, version, protocol, agents },
      ...(storage && { storage }),
      ...(person && { person }),
      projects: message.projects.filter((project) => this.may(id, "look", project.id)),
      ownProcesses: await filtered(ownProcesses, ({ sessionId }) => this.mayIn(id, "look", sessionId)),
    };
  }

  async #isOfOwnProject(id: PersonId, message: object): Promise<boolean> {
    const project = await this.#projectIn(message);
    return project !== null && this.may(id, "look", project);
  }

  async #projectIn(message: object): Promise<ProjectId | null> {
    const project = "project" in message ? Reflect.get(Object(message.project), "id") : undefined;
    const named = ProjectId.safeParse(project ?? Reflect.get(message, "projectId")).data;
    if (named !== undefined) return named;
    const session = SessionId.safeParse(Reflect.get(message, "sessionId") ?? Reflect.get(message, "agentId")).data;
    return session === undefined ? null : this.#projectOf(session);
  }

  /** The project of deleted things stays available. */
  #learn(message: PlainServerMessage): void {
    const note = ({ id, projectId }: { readonly id: SessionId; readonly projectId: ProjectId }) =>
      this.#projects.set(id, projectId);
    if (message.type === "session:list" || message.type === "import:progress")
      for (const row of message.sessions) note(row);
    else if (message.type === "session:created") note(message.session);
    else if (message.type === "session:changed") note(message);
  }

  async #projectOf(sessionId: SessionId): Promise<ProjectId | null> {
    const known = this.#projects.get(sessionId);
    if (known !== undefined) return known;
    const found = await this.#where.session(sessionId);
    if (found !== null) this.#projects.set(sessionId, found);
    return found;
  }

  /** The projects of everything that the message names, in any field. */
  async #namedIn(message: ClientMessage): Promise<readonly Named[]> {
    const ids = idsIn(message, DEPTH_MAX);
    const found = await Promise.all(ids.map(([field, id]) => this.#find(field, id)));
    if (message.type !== "elicitation:respond" || message.sessionId !== undefined) return found;
    const asking = this.#where.question(message.elicitationId);
    return asking === null ? [] : [{ project: await this.#projectOf(asking), isMissing: REFUSE.sessionNotFound() }];
  }

  async #find(field: IdField, id: string): Promise<Named> {
    switch (field) {
      case "projectId":
        return { project: ProjectId.safeParse(id).data ?? null, isMissing: REFUSE.projectNotFound() };
      case "sessionId": {
        const { data: session } = SessionId.safeParse(id);
        const project = session === undefined ? null : await this.#projectOf(session);
        return { project, isMissing: REFUSE.sessionNotFound() };
      }
      case "worktreeId":
        return { project: await this.#where.worktree(id), isMissing: REFUSE.worktreeNotFound() };
      case "terminalId":
        return { project: this.#where.terminal(id), isMissing: REFUSE.terminalNotFound() };
      case "scheduleId":
        return { project: await this.#where.schedule(id), isMissing: REFUSE.scheduleNotFound() };
      case "importId":
        return { project: this.#where.importRun(id), isMissing: REFUSE.notPending("the import has ended") };
      case "snippetId": {
        const project = await this.#where.snippet(id);
        const isMissing = REFUSE.snippetNotFound();
        return project === undefined ? { project: null, isMissing, isForAll: true } : { project, isMissing };
      }
      default:
        return field satisfies never;
    }
  }
}

/** The fields that name the subject of an answer. */
const NAMING = ["project", "projectId", "sessionId", "agentId"];

const ID_FIELDS = [
  "projectId",
  "sessionId",
  "worktreeId",
  "terminalId",
  "scheduleId",
  "snippetId",
  "importId",
] as const;
type IdField = (typeof ID_FIELDS)[number];

function isIdField(name: string): name is IdField {
  return ID_FIELDS.some((field) => field === name);
}

/** All ids of a message, also those in its parts: a place to work in, a target of a schedule. */
function idsIn(value: object, depth: number): (readonly [IdField, string])[] {
  return Object.entries(value).flatMap(([name, inner]: [string, unknown]) => {
    if (typeof inner === "string") return isIdField(name) ? [[name, inner] as const] : [];
    if (typeof inner !== "object" || inner === null || depth === 0 || FREE.has(name)) return [];
    return idsIn(inner, depth - 1);
  });
}

async function filtered<Item>(items: readonly Item[], isKept: (item: Item) => Promise<boolean>): Promise<Item[]> {
  const kept = await Promise.all(items.map(isKept));
  return items.filter((_, index) => kept[index]);
}
