import { z } from "zod/mini";
import { PendingQuestion } from "./question.ts";
import { PendingPermission } from "./session-parts.ts";

/** What an agent waits for the user with: a permission to give, or a question to answer. */
export const PendingRequest = z.union([PendingPermission, PendingQuestion]);
export type PendingRequest = PendingPermission | PendingQuestion;

export function isPermission(request: PendingRequest): request is PendingPermission {
  return "permissionId" in request;
}

export function isQuestion(request: PendingRequest): request is PendingQuestion {
  return "elicitationId" in request;
}

/** The name by which the one request is told from the others. */
export function requestIdOf(request: PendingRequest): string {
  return isPermission(request) ? request.permissionId : request.elicitationId;
}
