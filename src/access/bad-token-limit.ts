/** More than anyone mistypes in a minute. */
const TRIES_PER_ADDRESS_MAX = 100;
const TRIES_MAX = 1_000;
const WINDOW_MS = 60_000;
/** Whoever has more addresses than this is held back by the limit for all. */
const ADDRESSES_MAX = 1_000;
/** One household or server gets this much of an IPv6 address, and may use all of it. */
const IPV6_GROUPS_KEPT = 4;

interface Count {
  tries: number;
  readonly since: number;
}

/** Counts wrong tokens, by address and overall. Only wrong ones: whoever has the right one never waits. */
export class BadTokenLimit {
  readonly #now: () => number;
  readonly #byAddress = new Map<string, Count>();
  #overall: Count = { tries: 0, since: 0 };

  constructor(now: () => number) {
    this.#now = now;
  }

  /** One more wrong token came from there. How many seconds to wait before the next one is looked at; 0 within the limit. */
  count(address: string): number {
    const now = this.#now();
    const key = networkOf(address);
    const known = this.#byAddress.get(key);
    const own = known && isRunning(known, now) ? known : { tries: 0, since: now };
    if (!isRunning(this.#overall, now)) this.#overall = { tries: 0, since: now };
    own.tries += 1;
    this.#overall.tries += 1;
    // The last to come is the last to be forgotten.
    this.#byAddress.delete(key);
    this.#byAddress.set(key, own);
    this.#forgetOldest();
    const waits = [
      own.tries > TRIES_PER_ADDRESS_MAX ? secondsLeft(own, now) : 0,
      this.#overall.tries > TRIES_MAX ? secondsLeft(this.#overall, now) : 0,
    ];
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

/** A clock that was set back ends a window, rather than making it last. */
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
