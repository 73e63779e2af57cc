/** More than anyone mistypes in a minute. */
const TRIES_PER_ADDRESS_MAX = 100;
const TRIES_MAX = 1_000;
const WINDOW_MS = 60_000;
/** A client with more addresses than this is limited by the global count. */
const ADDRESSES_MAX = 1_000;
/** One household or server owns this much of an IPv6 address. */
const IPV6_GROUPS_KEPT = 4;

interface Count {
  tries: number;
  readonly since: number;
}

/** Counts wrong tokens per address and overall. Requests with the right token are never delayed. */
export class BadTokenLimit {
  readonly #now: () => number;
  readonly #byAddress = new Map<string, Count>();
  #overall: Count = { tries: 0, since: 0 };

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Counts one wrong token from that address. Returns the seconds to wait; 0 within the limit. */
  count(address: string): number {
    const now = this.#now();
    const key = networkOf(address);
    const known = this.#byAddress.get(key);
    const own = known && isRunning(known, now) ? known : { tries: 0, since: now };
    if (!isRunning(this.#overall, now)) this.#overall = { tries: 0, since: now };
    own.tries += 1;
    this.#overall.tries += 1;
    // Keeps the map in order of use, so that the least recent address is dropped first.
    this.#byAddress.delete(key);
    this.#byAddress.set(key, own);
    this.#forgetOldest();
    return this.waitOf(address);
  }

  /** The seconds that one from that address has to wait, without counting. */
  waitOf(address: string): number {
    const now = this.#now();
    const counts = [
      { count: this.#byAddress.get(networkOf(address)), triesMax: TRIES_PER_ADDRESS_MAX },
      { count: this.#overall, triesMax: TRIES_MAX },
    ];
    const waits = counts.map(({ count, triesMax }) =>
      count && isRunning(count, now) && count.tries > triesMax ? secondsLeft(count, now) : 0,
    );
    return Math.max(...waits);
  }

  get addressCount(): number {
    return this.#byAddress.size;
  }

  #forgetOldest(): void {
    if (this.#byAddress.size <= ADDRESSES_MAX) return;
    for (const oldest of this.#byAddress.keys()) {
      this.#byAddress.delete(oldest);
      return;
    }
  }
}

/** A clock that was set back ends a window instead of extending it. */
function isRunning({ since }: Count, now: number): boolean {
  return now >= since && now - since < WINDOW_MS;
}

function secondsLeft({ since }: Count, now: number): number {
  return Math.ceil((since + WINDOW_MS - now) / 1_000);
}

function networkOf(address: string): string {
  if (!address.includes(":") || address.includes(".")) return address;
  const [head = "", tail] = address.split("::");
  const front = head.split(":").filter((group) => group !== "");
  const missing = tail === undefined ? [] : Array.from({ length: IPV6_GROUPS_KEPT }, () => "0");
  return [...front, ...missing].slice(0, IPV6_GROUPS_KEPT).join(":");
}
