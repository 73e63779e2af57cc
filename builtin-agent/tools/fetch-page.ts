import type { IncomingMessage } from "node:http";
import type { GuardedKind } from "../sessions/session-record.ts";
import { askPermission } from "../turn/ask-permission.ts";
import { ToolCall, textContent } from "../turn/tool-call.ts";
import { type Turn, TurnCancelled } from "../turn/turn.ts";
import { reachHost } from "./reach-host.ts";

const FETCH_MS_MAX = 30_000;
const FETCH_BYTES_MAX = 2 * 1024 * 1024;
const REDIRECTS_MAX = 5;
const URL_CHARACTERS_MAX = 2_000;
const TEXT_TYPE = /^(?:text\/|application\/(?:[\w.+-]*\+)?(?:json|xml|yaml|javascript|toml))/i;

type Fetched = { readonly ok: boolean; readonly text: string };

/**
 * Reads a web page as text. Access to each host of this machine or network is asked for separately from the rest of the
 * web.
 */
export async function fetchPage(turn: Turn, given: string): Promise<Fetched> {
  const tool = new ToolCall(turn, { title: `Fetch ${given}`, name: "fetch", kind: "fetch", rawInput: { url: given } });
  const deadline = AbortSignal.timeout(FETCH_MS_MAX);
  try {
    const fetched = await follow(turn, tool, given, AbortSignal.any([turn.signal, deadline]));
    if (fetched.ok) tool.complete({ content: [textContent(fetched.text)] });
    else tool.fail(fetched.text);
    return fetched;
  } catch (error) {
    turn.signal.throwIfAborted();
    if (error instanceof TurnCancelled) throw error;
    const code = error instanceof Error && "code" in error ? ` (${String(error.code)})` : "";
    const text = deadline.aborted
      ? `${given} did not answer within ${FETCH_MS_MAX / 1_000} s.`
      : `${given} could not be reached${code}.`;
    tool.fail(text);
    return { ok: false, text };
  }
}

async function follow(turn: Turn, tool: ToolCall, given: string, signal: AbortSignal): Promise<Fetched> {
  let address = given;
  const allowed = new Set<string>();
  for (let redirects = 0; redirects <= REDIRECTS_MAX; redirects += 1) {
    const url = address.length <= URL_CHARACTERS_MAX ? URL.parse(address) : null;
    if (!url || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "")
      return refused(`${address.slice(0, URL_CHARACTERS_MAX)} is not an http or https address without a password.`);
    const host = await reachHost(url);
    const kind: GuardedKind = host.isPrivate ? "private" : "fetch";
    const about = kind === "private" ? `private ${url.host}` : kind;
    if (!allowed.has(about)) {
      const permission = await askPermission(turn, tool, kind);
      if (permission === "refused") return refused("Fetching is off in read-only mode.");
      if (permission === "rejected") return refused(`The user does not want ${url.host} to be fetched.`);
      allowed.add(about);
    }
    if (redirects === 0) tool.run();
    const response = await host.get(url, signal);
    const { statusCode: status = 0, headers } = response;
    const { location } = headers;
    if (status < 300 || status >= 400 || location === undefined) return readAnswer(url, response);
    response.destroy();
    address = URL.parse(location, url)?.href ?? location;
  }
  return refused(`${given} redirects more than ${REDIRECTS_MAX} times.`);
}

async function readAnswer(url: URL, response: IncomingMessage): Promise<Fetched> {
  const { statusCode: status = 0, headers } = response;
  const type = headers["content-type"] ?? "text/plain";
  if (!TEXT_TYPE.test(type)) {
    response.destroy();
    return refused(`${url.href} answered ${status} with ${type}, which is no text.`);
  }
  const { text, isCut } = await readBounded(response);
  const words = /html/i.test(type) ? htmlToText(text) : text;
  const shown = isCut ? `${words}\n[only the first ${FETCH_BYTES_MAX} bytes were read]` : words;
  const isOk = status >= 200 && status < 300;
  return isOk ? { ok: true, text: shown } : refused(`${url.href} answered ${status}.\n${shown}`);
}

async function readBounded(response: IncomingMessage): Promise<{ text: string; isCut: boolean }> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  // Leaving the loop ends the response.
  for await (const piece of response) {
    if (!(piece instanceof Uint8Array)) continue;
    pieces.push(piece);
    bytes += piece.length;
    if (bytes > FETCH_BYTES_MAX) break;
  }
  const text = Buffer.concat(pieces).subarray(0, FETCH_BYTES_MAX).toString("utf8");
  return { text, isCut: bytes > FETCH_BYTES_MAX };
}

function refused(text: string): Fetched {
  return { ok: false, text };
}

const SKIPPED = new Set(["script", "style", "noscript", "svg", "template", "head"]);
const BLOCKS = /^\/?(?:p|div|br|li|tr|h[1-6]|section|article|header|footer|table|ul|ol|pre|blockquote|main|nav)$/;
const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " " };

/** The text of a page without its markup, in one pass: for reading, not for display. */
export function htmlToText(html: string): string {
  let text = "";
  let at = 0;
  while (at < html.length) {
    const start = html.indexOf("<", at);
    if (start === -1) return tidy(text + html.slice(at));
    text += html.slice(at, start);
    const isComment = html.startsWith("<!--", start);
    const end = isComment ? html.indexOf("-->", start) : html.indexOf(">", start);
    if (end === -1) return tidy(text);
    const name = /^<(\/?[a-z][a-z0-9]*)/i.exec(html.slice(start, start + 20))?.[1]?.toLowerCase() ?? "";
    at = isComment ? end + 3 : end + 1;
    if (!isComment && SKIPPED.has(name)) {
      const close = indexOfTag(html, `</${name}`, at);
      if (close === -1) return tidy(text);
      at = close;
    }
    if (BLOCKS.test(name)) text += "\n";
  }
  return tidy(text);
}

function indexOfTag(html: string, tag: string, from: number): number {
  const lower = html.indexOf(tag, from);
  return lower === -1 ? html.indexOf(tag.toUpperCase(), from) : lower;
}

function tidy(text: string): string {
  const lines = text.split("\n").map((line) => line.replace(/[\t\r ]+/g, " ").trim());
  return lines
    .filter((line, at) => line !== "" || lines[at - 1] !== "")
    .join("\n")
    .replace(/&(amp|lt|gt|quot|apos|nbsp);/g, (whole, name: string) => ENTITIES[name] ?? whole)
    .replace(/&#(\d{1,7});/g, (whole, code: string) =>
      Number(code) <= 0x10_ff_ff ? String.fromCodePoint(Number(code)) : whole,
    )
    .trim();
}
