import { configOptions, sessionModes } from "../sessions/config-options.ts";
import { replay } from "../sessions/replay.ts";
import { Session } from "../sessions/session.ts";
import type { StoredUpdate } from "../sessions/session-record.ts";
import { listPage, type SessionStore } from "../sessions/session-store.ts";
import { parseToolServers, requiredToolServers } from "../sessions/tool-server.ts";
import { type JsonObject, stringAt } from "../wire/json.ts";
import { requiredDirectory, requiredString } from "../wire/params.ts";
import { RPC_CODE, RpcError } from "../wire/rpc-error.ts";
import type { World } from "../world.ts";
import type { Feature } from "./features.ts";

/** The sessions that this process has open, backed by the ones on disk. */
export class OpenSessions {
  readonly #world: World;
  readonly #store: SessionStore;
  readonly #without: ReadonlySet<Feature>;
  readonly #open = new Map<string, Session>();

  constructor(world: World, store: SessionStore, without: ReadonlySet<Feature>) {
    this.#world = world;
    this.#store = store;
    this.#without = without;
  }

  create(params: JsonObject): Session {
    const cwd = requiredDirectory(params);
    const toolServers = requiredToolServers(params);
    const session = new Session(this.#world.newId("guide"), cwd, this.#store);
    session.toolServers = toolServers;
    this.#store.create(session.id, cwd, this.#world.now());
    this.#open.set(session.id, session);
    return session;
  }

  /** Opens a stored session, or returns the open one, with its history. */
  restore(params: JsonObject): { session: Session; history: StoredUpdate[] } {
    const id = requiredString(params, "sessionId");
    const cwd = requiredDirectory(params);
    const records = this.#store.read(id);
    if (!records) throw notFound(id);
    const session = this.#open.get(id) ?? new Session(id, cwd, this.#store, records);
    session.toolServers = parseToolServers(params["mcpServers"]);
    this.#open.set(id, session);
    return { session, history: replay(records) };
  }

  get(params: JsonObject): Session {
    const session = this.find(params);
    if (!session) throw notFound(requiredString(params, "sessionId"));
    return session;
  }

  /** For notifications, which cannot be refused. */
  find(params: JsonObject): Session | undefined {
    return this.#open.get(stringAt(params, "sessionId") ?? "");
  }

  list(params: JsonObject): unknown {
    const query = { cwd: stringAt(params, "cwd"), cursor: stringAt(params, "cursor") };
    return listPage(this.#store.list(), query);
  }

  /** Cancels the turn and closes the session; the history stays. */
  close(params: JsonObject): void {
    const session = this.get(params);
    session.close();
    this.#open.delete(session.id);
  }

  delete(params: JsonObject): void {
    const id = requiredString(params, "sessionId");
    this.#open.get(id)?.close();
    this.#open.delete(id);
    this.#store.delete(id);
  }

  /** The open session whose turn this request started. */
  findByRequest(requestId: unknown): Session | undefined {
    return [...this.#open.values()].find(({ turn }) => turn && turn.requestId === requestId);
  }

  /** A session's settings as answered to new, load and resume. */
  settings(session: Session, withBoolean: boolean): JsonObject {
    return {
      ...(this.#without.has("modes") ? {} : { modes: sessionModes(session.config) }),
      ...(this.#without.has("config") ? {} : { configOptions: configOptions(session.config, withBoolean) }),
    };
  }
}

function notFound(id: string): RpcError {
  return new RpcError(RPC_CODE.notFound, `Session not found: ${id}`, { sessionId: id });
}
