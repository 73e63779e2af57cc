import { isIP } from "node:net";

const LOOPBACK_NAMES = ["127.0.0.1", "localhost", "[::1]"];
const WILDCARDS = new Set(["0.0.0.0", "::"]);
const DEFAULT_PORTS = { http: 80, https: 443 } as const;

interface OwnHostsOptions {
  /** The configured bind address, which is also one of our names. */
  readonly host: string;
  readonly port: number;
  readonly isTls: boolean;
  /** More names of this machine, without a port. */
  readonly names: readonly string[];
  /** Additional names allowed by the user, for a proxy for example: `name` or `name:port`. */
  readonly allowed: readonly string[];
}

/** Decides which Host and Origin headers are ours. */
export class OwnHosts {
  readonly #hosts: ReadonlySet<string>;
  readonly #addressSuffix: string | null;
  readonly #schemes: readonly string[];

  constructor({ host, port, isTls, names, allowed }: OwnHostsOptions) {
    const withPort = [...LOOPBACK_NAMES, hostName(host), ...names].map((name) => `${name}:${port}`);
    const isDefaultPort = port === DEFAULT_PORTS[isTls ? "https" : "http"];
    // Browsers omit the default port, which a proxy usually has.
    const bare = [...(isDefaultPort ? withPort : []).map((name) => name.slice(0, name.lastIndexOf(":")))];
    const more = allowed.flatMap((entry) => (hasPort(entry) ? [entry] : [entry, `${entry}:${port}`]));
    this.#hosts = new Set([...withPort, ...bare, ...more].map((name) => name.toLowerCase()));
    this.#addressSuffix = WILDCARDS.has(host) ? `:${port}` : null;
    this.#schemes = isTls ? ["https:"] : ["http:", "https:"];
  }

  /** Another site's page, or a name rebound to our address, is refused before any other check. */
  isForeign(request: Request): boolean {
    const host = request.headers.get("host")?.toLowerCase() ?? "";
    if (!this.#hosts.has(host) && !this.#isOwnAddress(host)) return true;
    const origin = request.headers.get("origin");
    return origin !== null && !this.#isOwnOrigin(origin, host);
  }

  /**
   * When listening on every address, each plain address is ours, including later ones: unlike a name, an address
   * cannot be made to lead here by another server.
   */
  #isOwnAddress(host: string): boolean {
    if (this.#addressSuffix === null || !host.endsWith(this.#addressSuffix)) return false;
    const name = host.slice(0, -this.#addressSuffix.length);
    return name.startsWith("[") && name.endsWith("]") ? isIP(name.slice(1, -1)) === 6 : isIP(name) === 4;
  }

  /** One of our names, or the requested address itself: another machine's address is not ours. */
  #isOwnOrigin(origin: string, host: string): boolean {
    if (!URL.canParse(origin)) return false;
    const { protocol, host: from } = new URL(origin);
    return this.#schemes.includes(protocol) && (this.#hosts.has(from.toLowerCase()) || from.toLowerCase() === host);
  }
}

/** As written in a URL. */
export function hostName(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}

function hasPort(entry: string): boolean {
  return /:\d+$/.test(entry) && isIP(entry) !== 6;
}
