import { z } from "zod/mini";
import { PendingQuestion } from "./question.ts";
import { PendingPermission } from "./session-parts.ts";

/** An open request of an agent to the user: a permission, or a question. */
export const PendingRequest = z.union([PendingPermission, PendingQuestion]);
export type PendingRequest = PendingPermission | PendingQuestion;

export function isPermission(request: PendingRequest): request is PendingPermission {
  return "permissionId" in request;
}

export function isQuestion(request: PendingRequest): request is PendingQuestion {
  return "elicitationId" in request;
}

/** The id of the request. */
export function requestIdOf(request: PendingRequest): string {
  return isPermission(request) ? request.permissionId : request.elicitationId;
}
