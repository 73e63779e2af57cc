import type { ApiScope } from "../protocol/api-tokens.ts";
import type { ProjectId } from "../protocol/ids.ts";
import type { PersonId } from "../protocol/person-ref.ts";

/** A program's token, as stored: only a keyed hash of its secret. */
export interface StoredApiToken {
  readonly id: string;
  readonly secretHash: string;
  /** The token of the app under which it was made; under another one it is invalid. */
  readonly tokenMark: string;
  readonly name: string;
  readonly scope: ApiScope;
  /** Null: all projects. */
  readonly projectId: ProjectId | null;
  readonly createdAt: string;
  /** Null: never. */
  readonly lastUsedAt: string | null;
  /** The person it belongs to. Null: the owner. */
  readonly personId: PersonId | null;
}

/** Read once at the start; requests are checked against the tokens in memory (`access/api-tokens.ts`). */
export interface ApiTokenStore {
  /** Oldest first. */
  list(): Promise<readonly StoredApiToken[]>;
  /** Adds it, or replaces the one with its id. */
  put(token: StoredApiToken): Promise<void>;
  delete(id: string): Promise<void>;
}
