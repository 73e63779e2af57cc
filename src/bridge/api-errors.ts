import type { ErrorCode, Refusal } from "../protocol/errors.ts";
import type { ApiError } from "../protocol/http-api.ts";
import { json } from "./plain-pages.ts";

export function apiError(status: number, body: ApiError, headers: Readonly<Record<string, string>> = {}): Response {
  const response = json(status, body);
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
  return response;
}

const STATUS_OTHERWISE = 422;
const STATUS: Partial<Record<ErrorCode, number>> = {
  INVALID_MESSAGE: 400,
  PROJECT_DUPLICATE: 409,
  PROJECT_NOT_FOUND: 404,
  SESSION_NOT_FOUND: 404,
  AGENT_UNAVAILABLE: 503,
  AGENT_AUTH_REQUIRED: 409,
  AGENT_PROTOCOL_ERROR: 502,
  AGENT_SESSION_REFUSED: 502,
  AGENT_SESSION_BUSY: 409,
  AGENT_LIMIT: 429,
  SNIPPET_NOT_FOUND: 404,
  SCHEDULE_NOT_FOUND: 404,
  NOTICE_TARGET_NOT_FOUND: 404,
  REQUEST_NOT_PENDING: 409,
  LIMIT_EXCEEDED: 429,
  STORAGE_UNWRITABLE: 507,
  WORKDIR_CHANGED: 409,
  WORKDIR_BUSY: 409,
  WORKTREE_NOT_FOUND: 404,
  FORBIDDEN: 403,
  PERSON_NOT_FOUND: 404,
  PERSON_INVALID: 409,
  INTERNAL_ERROR: 500,
};

export function refused({ code, message, details, fields }: Refusal): Response {
  const body = { error: message, code, ...(details !== undefined && { details }), ...(fields && { fields }) };
  return apiError(STATUS[code] ?? STATUS_OTHERWISE, body);
}
