import { z } from "zod/mini";
import { PAGE_KEY_HEADER, PAGE_KEY_PARAMETER, PAGE_KEY_PROTOCOL, SOCKET_PROTOCOL } from "../protocol/page-key.ts";
import { readKept, writeKept } from "../ui/kept-json.ts";

const KEPT_AS = "liminal:page-key";
const PageKey = z.string();
const Ticket = z.object({ address: z.string() });

/** For browsers without storage: valid until the page is reloaded. */
let unkept = "";

/** Read each time: another tab may have signed in again. */
function pageKey(): string {
  return readKept(KEPT_AS, PageKey, unkept);
}

/**
 * Stores the page key that a sign-in passes in the address, and removes it from there. A link of another page could
 * contain a key, too: a stored key is replaced only by one that the server accepts.
 */
export async function takePageKey(): Promise<void> {
  const fragment = new URLSearchParams(location.hash.slice(1));
  const given = fragment.get(PAGE_KEY_PARAMETER);
  if (given === null) return;
  fragment.delete(PAGE_KEY_PARAMETER);
  history.replaceState(null, "", `${location.pathname}${String(fragment) === "" ? "" : `#${fragment}`}`);
  const current = pageKey();
  if (given === current || (current !== "" && !(await isAccepted(given)))) return;
  unkept = given;
  writeKept(KEPT_AS, given);
}

async function isAccepted(key: string): Promise<boolean> {
  const answer = await fetch("/api/devices", { cache: "no-store", headers: { [PAGE_KEY_HEADER]: key } }).catch(
    () => null,
  );
  return answer?.ok ?? false;
}

/** A request to our own server, with the page key. */
export function askServer(path: string, init: RequestInit = {}): Promise<Response> {
  const key = pageKey();
  return fetch(path, { cache: "no-store", ...init, ...(key !== "" && { headers: { [PAGE_KEY_HEADER]: key } }) });
}

/** A page cannot set headers on a socket, but it can set subprotocol names. */
export function openOwnSocket(url: string): WebSocket {
  const key = pageKey();
  return key === "" ? new WebSocket(url) : new WebSocket(url, [SOCKET_PROTOCOL, `${PAGE_KEY_PROTOCOL}${key}`]);
}

/** For a link to our own server: the browser follows it without our header, so its address gets a ticket first. */
export function followWithTicket(event: MouseEvent, onFailure: (words: string) => void): void {
  const link = event.currentTarget;
  if (!(link instanceof HTMLAnchorElement)) return;
  event.preventDefault();
  const { pathname, search } = new URL(link.href);
  ticketFor(`${pathname}${search}`).then(
    (address) => {
      const ticketed = document.createElement("a");
      ticketed.href = address;
      ticketed.target = link.target;
      ticketed.rel = link.rel;
      if (link.hasAttribute("download")) ticketed.download = link.download;
      ticketed.click();
    },
    () => onFailure("The server is not responding. Try again when it is back."),
  );
}

async function ticketFor(path: string): Promise<string> {
  const answer = await askServer("/api/ticket", { method: "POST", body: JSON.stringify({ path }) });
  return Ticket.parse(await answer.json()).address;
}
