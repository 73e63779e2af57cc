import { isNestedDeeper, JSON_LEVELS_MAX } from "../lib/nesting.ts";
import { parseJson } from "../lib/parse-json.ts";
import { ClientMessage } from "../protocol/client-messages.ts";
import { REFUSE, type Refusal } from "../protocol/errors.ts";
import { SessionId } from "../protocol/ids.ts";
import { FRAME_BYTES_MAX } from "../protocol/limits.ts";

/** Ids of a frame that its answer has to repeat, as far as they could be read. */
interface Correlation {
  readonly requestId?: string;
  readonly sessionId?: string;
}

type ReadFrame =
  | { readonly ok: true; readonly message: ClientMessage }
  | { readonly ok: false; readonly refusal: Refusal; readonly about: Correlation };

/** Parses a client frame as a protocol message, or returns the reason for its refusal. Never throws. */
export function readClientFrame(data: string | Uint8Array): ReadFrame {
  if (typeof data !== "string") return refused(REFUSE.invalidMessage("message: only text frames are supported"), {});
  if (Buffer.byteLength(data) > FRAME_BYTES_MAX)
    return refused(REFUSE.limitExceeded("bytes in one frame", FRAME_BYTES_MAX), {});
  const raw = parseJson(data);
  if (isNestedDeeper(raw))
    return refused(
      REFUSE.invalidMessage(`message: nested more than ${JSON_LEVELS_MAX} levels deep`),
      correlationOf(raw),
    );
  const parsed = ClientMessage.safeParse(raw);
  if (parsed.success) return { ok: true, message: parsed.data };
  const issue = parsed.error.issues[0];
  const details = issue ? `${issue.path.join(".") || "message"}: ${issue.message}` : "not a message";
  return refused(REFUSE.invalidMessage(details), correlationOf(raw));
}

function refused(refusal: Refusal, about: Correlation): ReadFrame {
  return { ok: false, refusal, about };
}

/** Even an invalid message is answered under its id, if that can be read. */
function correlationOf(raw: unknown): Correlation {
  if (typeof raw !== "object" || raw === null) return {};
  const requestId: unknown = Reflect.get(raw, "requestId");
  const sessionId = SessionId.safeParse(Reflect.get(raw, "sessionId"));
  return {
    ...(typeof requestId === "string" && { requestId }),
    ...(sessionId.success && { sessionId: sessionId.data }),
  };
}
