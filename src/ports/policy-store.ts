import type { CliType, PermissionId, ProjectId, SessionId } from "../protocol/ids.ts";
import type { PermissionMode, PolicyRule, PolicyScope } from "../protocol/permission-policy.ts";
import type { PermissionToolCall } from "../protocol/session-parts.ts";

/** The owner of a mode and rules. */
export interface PolicyTarget {
  readonly scope: PolicyScope;
  readonly id: string;
}

export interface StoredPolicy {
  readonly mode: PermissionMode | null;
  /** In the order of adding. */
  readonly rules: readonly PolicyRule[];
}

/** A past request, and how it ended. Long texts in it are left out. */
export interface PermissionRecord {
  readonly sessionId: SessionId;
  readonly permissionId: PermissionId;
  /** The directory of its session. */
  readonly cwd: string;
  readonly askedAt: string;
  readonly toolCall: PermissionToolCall;
  readonly answered: "allowed" | "denied" | "cancelled" | null;
  readonly by: "user" | "policy" | null;
  readonly at: string | null;
  readonly why: string | null;
}

export interface RecordQuery {
  readonly sessionId?: SessionId;
  readonly projectId?: ProjectId;
  readonly cliType?: CliType;
  readonly onlyAutomatic: boolean;
  readonly limit: number;
}

/** Modes and rules by owner, and all past requests. */
export interface PolicyStore {
  read(target: PolicyTarget): Promise<StoredPolicy>;
  /** Replaces everything stored for the target, in one step. */
  write(target: PolicyTarget, policy: StoredPolicy): Promise<void>;
  /** Newest first. Requests are recorded in the same transaction as the facts they come from. */
  records(query: RecordQuery): Promise<readonly PermissionRecord[]>;
}
