import { TaskQueue } from "../lib/task-queue.ts";
import type { ApiTokenStore, StoredApiToken } from "../ports/api-token-store.ts";
import { isoTime, type World } from "../ports/world.ts";
import { API_TOKENS_MAX, type ApiScope, type NewApiToken, type ShownApiToken } from "../protocol/api-tokens.ts";
import { REFUSE, RefusalError } from "../protocol/errors.ts";
import type { ProjectId } from "../protocol/ids.ts";
import { OWNER_ID } from "../protocol/people.ts";
import type { PersonId } from "../protocol/person-ref.ts";
import { isSameSecret, keyedHash } from "./secrets.ts";

/** "Last used" is for people; a write per request would not help them. */
const USED_STEP_MS = 5 * 60_000;
const ID_CHARS = 12;
const SHOWN = /^lb_([0-9a-f]{12})_([\w-]{20,100})$/;

/** Who a token stands for. */
export interface ApiTokenHolder {
  readonly id: string;
  readonly scope: ApiScope;
  /** Null: all projects. */
  readonly projectId: ProjectId | null;
  /** The token has at most the rights of that person. */
  readonly personId: PersonId;
}

interface ApiTokensOptions {
  readonly store: ApiTokenStore;
  /** Of the app. With another one all tokens of programs are invalid. */
  readonly token: string;
  readonly world: World;
  /** At least 128 random bits, url-safe. */
  readonly newSecret: () => string;
  /** Called if the time of the last use could not be stored. */
  readonly onUnstored: (error: unknown) => void;
}

/** Tokens that the user makes for programs. A secret is shown once and stored as a hash; each can be revoked. */
export class ApiTokens {
  readonly #options: ApiTokensOptions;
  readonly #tokenMark: string;
  /** Tokens of persons other than the owner: a release without people does not have these tokens, either. */
  readonly #personMark: string;
  readonly #known: Map<string, StoredApiToken>;
  /** Callbacks that close the live connections of a token. */
  readonly #connections = new Map<string, Set<() => void>>();
  /** What changes in memory is stored in the same order. */
  readonly #writes = new TaskQueue();

  /** Stored tokens are read first. */
  static async open(options: ApiTokensOptions): Promise<ApiTokens> {
    return new ApiTokens(options, await options.store.list());
  }

  private constructor(options: ApiTokensOptions, stored: readonly StoredApiToken[]) {
    this.#options = options;
    this.#tokenMark = keyedHash(options.token, "api tokens of this token").slice(0, ID_CHARS);
    this.#personMark = keyedHash(options.token, "api tokens of people of this token").slice(0, ID_CHARS);
    const mine = stored.filter((token) => token.tokenMark === this.#markFor(token.personId));
    this.#known = new Map(mine.map((token) => [token.id, token]));
  }

  /** Newest first. `person`: only theirs. */
  list(person: PersonId | null = null): readonly ShownApiToken[] {
    const listed = [...this.#known.keys()].filter((id) => person === null || this.personOf(id) === person);
    return listed.flatMap((id) => shown(this.#known.get(id))).toReversed();
  }

  /** Whose it is. */
  personOf(id: string): PersonId {
    return this.#known.get(id)?.personId ?? OWNER_ID;
  }

  /** Resolves when it is stored: a secret that was shown works after a restart, too. */
  async create(
    { name, scope, projectId }: NewApiToken,
    person: PersonId = OWNER_ID,
  ): Promise<{ readonly token: ShownApiToken; readonly secret: string }> {
    const { world, newSecret, store } = this.#options;
    if (this.list(person).length >= API_TOKENS_MAX)
      throw new RefusalError(REFUSE.limitExceeded("tokens", API_TOKENS_MAX));
    const id = this.#newId();
    const secret = newSecret();
    const personId = person === OWNER_ID ? null : person;
    const token: StoredApiToken = {
      id,
      personId,
      secretHash: this.#hash(id, secret),
      tokenMark: this.#markFor(personId),
      name,
      scope,
      projectId: projectId ?? null,
      createdAt: isoTime(world),
      lastUsedAt: null,
    };
    await this.#writes.run(() => store.put(token));
    this.#known.set(id, token);
    return { token: shownToken(token), secret: `lb_${id}_${secret}` };
  }

  /** The holder of a secret; null if it is unknown or revoked. */
  recognize(secret: string): ApiTokenHolder | null {
    const [, id = "", random = ""] = SHOWN.exec(secret) ?? [];
    const token = this.#known.get(id);
    if (!token || !isSameSecret(token.secretHash, this.#hash(id, random))) return null;
    this.#used(token);
    return { id, scope: token.scope, projectId: token.projectId, personId: token.personId ?? OWNER_ID };
  }

  /** `cut` closes a connection of this token when it is revoked, until the returned function is called. */
  connected(id: string, cut: () => void): () => void {
    const cuts = this.#connections.get(id) ?? new Set();
    this.#connections.set(id, cuts.add(cut));
    // It may have been revoked since the check.
    if (!this.#known.has(id)) cut();
    return () => {
      cuts.delete(cut);
      if (cuts.size === 0 && this.#connections.get(id) === cuts) this.#connections.delete(id);
    };
  }

  /**
   * It is invalid and its connections are closed when the call returns; the promise resolves when that is stored. False
   * if unknown.
   */
  async revoke(id: string): Promise<boolean> {
    if (!this.#known.delete(id)) return false;
    for (const cut of [...(this.#connections.get(id) ?? [])]) cut();
    await this.#writes.run(() => this.#options.store.delete(id));
    return true;
  }

  /** All tokens of a person. */
  async revokeAll(person: PersonId): Promise<void> {
    const theirs = [...this.#known.keys()].filter((id) => this.personOf(id) === person);
    await Promise.all(theirs.map((id) => this.revoke(id)));
  }

  #markFor(personId: StoredApiToken["personId"]): string {
    return personId === null ? this.#tokenMark : this.#personMark;
  }

  #used(token: StoredApiToken): void {
    const { world, store, onUnstored } = this.#options;
    const last = token.lastUsedAt === null ? 0 : Date.parse(token.lastUsedAt);
    if (Math.abs(world.now() - last) < USED_STEP_MS) return;
    const next = { ...token, lastUsedAt: isoTime(world) };
    this.#known.set(token.id, next);
    this.#writes.run(async () => (this.#known.has(next.id) ? store.put(next) : undefined)).catch(onUnstored);
  }

  #hash(id: string, secret: string): string {
    return keyedHash(this.#options.token, `api token ${id}:${secret}`);
  }

  #newId(): string {
    for (;;) {
      const id = this.#options.world.newId().replaceAll("-", "").slice(0, ID_CHARS);
      if (!this.#known.has(id)) return id;
    }
  }
}

function shown(token: StoredApiToken | undefined): readonly ShownApiToken[] {
  return token ? [shownToken(token)] : [];
}

function shownToken({ id, name, scope, projectId, createdAt, lastUsedAt, personId }: StoredApiToken): ShownApiToken {
  return {
    id,
    name,
    scope,
    ...(projectId !== null && { projectId }),
    createdAt,
    ...(lastUsedAt !== null && { lastUsedAt }),
    ...(personId !== null && { personId }),
  };
}
