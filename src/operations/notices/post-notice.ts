import { createHmac } from "node:crypto";
import type { NoticeEvent, NoticeTarget } from "../../protocol/notices.ts";

/** The data that leaves the machine. It contains neither agent text nor a token. */
export interface Notice {
  /** The same for every try. */
  readonly id: string;
  readonly event: NoticeEvent | "test";
  readonly heading: string;
  /** Of the session. */
  readonly title: string;
  readonly project: string;
  readonly agent: string;
  readonly sessionId: string | null;
  readonly link: string;
  readonly at: string;
}

/** `isFinal`: a retry would not help. */
export type PostOutcome =
  | { readonly ok: true }
  | { readonly ok: false; readonly isFinal: boolean; readonly problem: string };

const DEADLINE_MS = 5_000;
const TEXT_CHARS_MAX = 200;
const TOO_MANY_REQUESTS = 429;
const REQUEST_TIMEOUT = 408;
const TAGS: Readonly<Record<Notice["event"], string>> = {
  asks: "raised_hand",
  failed: "x",
  limit: "hourglass",
  done: "white_check_mark",
  test: "bell",
};

/** One POST. The body of the answer is not read, and no redirect is followed. */
export async function postNotice(
  { url, format, secret }: Pick<NoticeTarget, "url" | "format" | "secret">,
  notice: Notice,
  signal: AbortSignal,
): Promise<PostOutcome> {
  const deadline = AbortSignal.timeout(DEADLINE_MS);
  try {
    const response = await fetch(url, {
      method: "POST",
      redirect: "manual",
      signal: AbortSignal.any([signal, deadline]),
      ...(format === "ntfy" ? ntfyRequest(notice) : jsonRequest(notice, secret)),
    });
    await response.body?.cancel();
    return outcomeOf(response.status, response.headers.get("location"));
  } catch (error) {
    if (deadline.aborted)
      return {
        ok: false,
        isFinal: false,
        problem: `No answer within ${DEADLINE_MS / 1_000} s. Check that the address can be reached from this machine.`,
      };
    const code = error instanceof Error && "code" in error ? ` (${String(error.code)})` : "";
    return {
      ok: false,
      isFinal: false,
      problem: `Could not connect${code}. Check the address, and that the service is running.`,
    };
  }
}

function outcomeOf(status: number, location: string | null): PostOutcome {
  if (status >= 200 && status < 300) return { ok: true };
  if (status >= 300 && status < 400) {
    const to = location !== null && URL.canParse(location) ? ` It points to ${new URL(location).origin}.` : "";
    return {
      ok: false,
      isFinal: true,
      problem: `The address answered with a redirect (${status}), which is not followed.${to} Enter the final address.`,
    };
  }
  const isFinal = status < 500 && status !== TOO_MANY_REQUESTS && status !== REQUEST_TIMEOUT;
  return { ok: false, isFinal, problem: `The service rejected the notice (HTTP ${status}). ${adviceFor(status)}` };
}

function adviceFor(status: number): string {
  if (status === 401 || status === 403) return "Check the token in the address.";
  if (status === 404 || status === 405) return "Check the address.";
  if (status === TOO_MANY_REQUESTS) return "It allows fewer notices. Choose fewer events.";
  return status >= 500 ? "The service has a problem." : "Check the address and the format.";
}

/** Services that support this header deliver a repeated notice once. */
const ID_HEADER = "Idempotency-Key";

function ntfyRequest({ id, event, heading, title, project, link }: Notice) {
  return {
    headers: {
      [ID_HEADER]: id,
      // ntfy replaces the first of two notices with the same id.
      "X-Sequence-ID": id,
      Title: headerText(cut(heading)),
      Tags: TAGS[event],
      Priority: event === "asks" ? "high" : "default",
      Click: link,
    },
    body: `${cut(title)}\n${cut(project)}`,
  };
}

/** Signed over the time of the notice and the body, so that neither a changed nor an old one is accepted as new. */
function signatureOf(secret: string, at: string, body: string): string {
  return `sha256=${createHmac("sha256", secret).update(`${at}.${body}`).digest("hex")}`;
}

function jsonRequest(notice: Notice, secret?: string) {
  const { id, event, heading, agent, sessionId, link, at } = notice;
  const [title, project] = [cut(notice.title), cut(notice.project)];
  const text = `${cut(heading)}: ${title} (${project})`;
  const body = {
    id,
    event,
    text,
    title,
    project,
    agent: cut(agent),
    ...(sessionId !== null && { sessionId }),
    link,
    at,
  };
  const sent = JSON.stringify(body);
  const headers = {
    "Content-Type": "application/json",
    [ID_HEADER]: id,
    "X-Liminal-Timestamp": at,
    ...(secret !== undefined && { "X-Liminal-Signature": signatureOf(secret, at, sent) }),
  };
  return { headers, body: sent };
}

function cut(text: string): string {
  const letters = [...text];
  return letters.length <= TEXT_CHARS_MAX ? text : `${letters.slice(0, TEXT_CHARS_MAX - 1).join("")}…`;
}

/** Headers are ASCII; ntfy decodes RFC 2047. */
function headerText(text: string): string {
  return /^[\x20-\x7e]*$/.test(text) ? text : `=?UTF-8?B?${Buffer.from(text, "utf8").toString("base64")}?=`;
}
