import { TICKET_PARAMETER } from "../protocol/page-key.ts";
import { isSameSecret, keyedHash } from "./secrets.ts";

export const TICKET_TTL_MS = 60_000;
/** Beyond this, the oldest is dropped. */
const TICKETS_MAX = 100;

interface Ticket {
  readonly hash: string;
  readonly device: string;
  readonly address: string;
  readonly endsAtMs: number;
}

interface DownloadTicketsOptions {
  /** Milliseconds on a monotonic clock. */
  readonly monotonicMs: () => number;
  readonly newSecret: () => string;
}

/** Each ticket allows one device one request to one address, for a minute. Kept in memory only. */
export class DownloadTickets {
  readonly #options: DownloadTicketsOptions;
  readonly #key: string;
  #tickets: readonly Ticket[] = [];

  constructor(options: DownloadTicketsOptions) {
    this.#options = options;
    this.#key = options.newSecret();
  }

  issue(device: string, path: string): string {
    const { monotonicMs, newSecret } = this.#options;
    const secret = newSecret();
    const address = addressOf(new URL(path, "http://localhost"));
    const ticket = { hash: this.#hash(secret), device, address, endsAtMs: monotonicMs() + TICKET_TTL_MS };
    this.#tickets = [...this.#tickets, ticket].slice(-TICKETS_MAX);
    return secret;
  }

  /** Consumes the ticket, even if another device or address presents it. */
  redeem(device: string, url: URL): boolean {
    const hash = this.#hash(url.searchParams.get(TICKET_PARAMETER) ?? "");
    const ticket = this.#tickets.find((one) => isSameSecret(one.hash, hash));
    if (!ticket) return false;
    this.#tickets = this.#tickets.filter((one) => one !== ticket);
    const isInTime = this.#options.monotonicMs() < ticket.endsAtMs;
    return isInTime && ticket.device === device && ticket.address === addressOf(url);
  }

  #hash(secret: string): string {
    return keyedHash(this.#key, secret);
  }
}

/** Path and query without the ticket, normalized. */
function addressOf(url: URL): string {
  const query = new URLSearchParams(url.search);
  query.delete(TICKET_PARAMETER);
  return `${url.pathname}?${query}`;
}
