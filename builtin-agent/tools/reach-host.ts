import { lookup } from "node:dns/promises";
import { type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { BlockList, isIP } from "node:net";

/** Of a name with many; the first that answers is used. */
const ADDRESSES_MAX = 4;

type Resolve = (hostname: string) => Promise<readonly string[]>;

/**
 * A host whose name was resolved. The connection uses the checked address, even if the name resolves differently a
 * moment later.
 */
export interface ReachedHost {
  /** True if any of its addresses is of this machine or network. */
  readonly isPrivate: boolean;
  /** The answer to a GET, without following redirects. */
  get(url: URL, signal: AbortSignal): Promise<IncomingMessage>;
}

/** Resolves the host of an address once. A name that cannot be resolved is an error. */
export async function reachHost({ hostname }: URL, resolve: Resolve = resolveName): Promise<ReachedHost> {
  const host = hostname.replace(/^\[|\]$/g, "");
  const addresses = isIP(host) ? [host] : [...(await resolve(host))];
  const isPrivate = addresses.some(isPrivateAddress);
  return { isPrivate, get: (url, signal) => getFrom(url, addresses.slice(0, ADDRESSES_MAX), signal) };
}

async function resolveName(hostname: string): Promise<readonly string[]> {
  return (await lookup(hostname, { all: true })).map(({ address }) => address);
}

async function getFrom(url: URL, addresses: readonly string[], signal: AbortSignal): Promise<IncomingMessage> {
  let last: unknown = new Error(`${url.hostname} has no address`);
  for (const address of addresses) {
    try {
      return await getAt(url, address, signal);
    } catch (error) {
      signal.throwIfAborted();
      last = error;
    }
  }
  throw last;
}

/** The name stays in the request and in the check of the certificate; only the connection goes to the address. */
function getAt(url: URL, address: string, signal: AbortSignal): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const found = { address, family: isIP(address) };
  const request = (url.protocol === "https:" ? requestHttps : requestHttp)(
    url,
    {
      signal,
      agent: false,
      headers: { accept: "text/*, application/json", "accept-encoding": "identity" },
      lookup: (_hostname, options, answer) => {
        if (options.all === true) answer(null, [found]);
        else answer(null, found.address, found.family);
      },
    },
    resolve,
  );
  request.on("error", reject);
  request.end();
  return promise;
}

const PRIVATE = new BlockList();
for (const [network, prefix] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["224.0.0.0", 3],
] as const)
  PRIVATE.addSubnet(network, prefix, "ipv4");
for (const [network, prefix] of [
  ["::", 127],
  ["64:ff9b::", 96],
  ["fc00::", 7],
  ["fe80::", 10],
  ["ff00::", 8],
] as const)
  PRIVATE.addSubnet(network, prefix, "ipv6");

/** Addresses of version 4 in the form of version 6 count as what they are. */
function isPrivateAddress(address: string): boolean {
  const mapped = /^::ffff:(?:(\d+\.\d+\.\d+\.\d+)|([0-9a-f]{1,4}):([0-9a-f]{1,4}))$/i.exec(address);
  if (!mapped) return PRIVATE.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");
  const [, dotted, high = "0", low = "0"] = mapped;
  const [a, b] = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
  return PRIVATE.check(dotted ?? [a >> 8, a & 255, b >> 8, b & 255].join("."), "ipv4");
}
