import type { IncomingHooks } from "../access/incoming-hooks.ts";
import { HOOK_BODY_BYTES_MAX, HOOK_CALLS_PER_MINUTE_MAX, type ShownHook } from "../protocol/incoming-hooks.ts";
import type { MessageDeps } from "./answer-message.ts";
import { apiError, refused } from "./api-errors.ts";
import { json } from "./plain-pages.ts";
import { readBody } from "./read-body.ts";
import { startHook } from "./start-hook.ts";

const KEY_CHARS_MAX = 200;
/** For a caller that cannot set our header: other names for it. */
const KEY_HEADERS = ["idempotency-key", "x-github-delivery", "x-gitlab-event-uuid"];

/**
 * `POST /hooks/<name>`: a new session in the hook's project gets the hook's text, with the body of the request as data.
 * A repeated key starts nothing.
 */
export async function hookRoute(
  deps: MessageDeps,
  hooks: IncomingHooks,
  hook: ShownHook,
  request: Request,
): Promise<Response> {
  if (request.method !== "POST")
    return apiError(405, { error: "Use POST here.", code: "METHOD_NOT_ALLOWED" }, { Allow: "POST" });
  const waitS = hooks.countCall(hook.name);
  if (waitS > 0) {
    const error = `Over the limit of ${HOOK_CALLS_PER_MINUTE_MAX} calls per minute for one hook. Wait ${waitS} s.`;
    return apiError(429, { error, code: "RATE_LIMITED" }, { "Retry-After": String(waitS) });
  }
  const read = await readBody(request, HOOK_BODY_BYTES_MAX);
  if (read === "too large")
    return apiError(413, { error: `The body exceeds ${HOOK_BODY_BYTES_MAX / 1024} KiB.`, code: "TOO_LARGE" });
  if (read === "no text") return apiError(400, { error: "The body is not UTF-8 text.", code: "INVALID_MESSAGE" });
  const key = KEY_HEADERS.map((name) => request.headers.get(name)).find((text) => text) ?? hooks.newKey();
  if (key.length > KEY_CHARS_MAX)
    return apiError(400, { error: `Idempotency-Key: at most ${KEY_CHARS_MAX} characters.`, code: "INVALID_MESSAGE" });
  const started = await startHook(deps, hooks, hook, { text: read.text, key });
  return started.refusal ? refused(started.refusal) : json(202, { sessionId: started.sessionId });
}
