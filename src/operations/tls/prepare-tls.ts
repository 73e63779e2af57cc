import { hostname, networkInterfaces } from "node:os";
import { join } from "node:path";
import { hostName } from "../../bridge/own-hosts.ts";
import { isLoopback, type ServerConfig } from "../config.ts";
import type { DataDir } from "../data-dir.ts";
import type { Logger } from "../server-log.ts";
import { announceCertificate, keptCertificate } from "./kept-certificate.ts";
import { type Certificate, readCertificate } from "./read-certificate.ts";

const WILDCARD_LOCAL: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "[::1]" };

/** The certificate to serve with; null where there is none to be. */
export async function prepareTls(config: ServerConfig, dataDir: DataDir, nowMs: number): Promise<Certificate | null> {
  const certificate = await certificateOf(config, dataDir, nowMs);
  if (certificate) announceCertificate(dataDir.path, certificate);
  return certificate;
}

async function certificateOf(
  { tls, host }: ServerConfig,
  dataDir: DataDir,
  nowMs: number,
): Promise<Certificate | null> {
  switch (tls.kind) {
    case "none":
      return null;
    case "own":
      return readCertificate(tls, nowMs);
    case "generated": {
      const { names, addresses } = machineNames();
      const others = isLoopback(host) ? [] : isWildcard(host) ? [...names, ...addresses] : [host, ...names];
      return keptCertificate(dataDir.path, others, nowMs);
    }
    default:
      return tls satisfies never;
  }
}

function isWildcard(host: string): boolean {
  return host in WILDCARD_LOCAL;
}

/** Where programs of this machine find the server. */
export function localOrigin({ host, tls }: ServerConfig, port: number): string {
  return `${tls.kind === "none" ? "http" : "https"}://${WILDCARD_LOCAL[host] ?? hostName(host)}:${port}`;
}

/** Where other devices find it, the likeliest first; those the user named come before what we found out. */
export function otherOrigins({ host, tls, allowedHosts }: ServerConfig, port: number): readonly string[] {
  // A proxy in front has its own port, and TLS with it.
  const named = allowedHosts.map(
    (entry) => `https://${entry}${tls.kind === "none" || /:\d+$/.test(entry) ? "" : `:${port}`}`,
  );
  if (isLoopback(host)) return named;
  const { names, addresses } = machineNames();
  const found = isWildcard(host) ? [...addresses, ...names] : [host];
  const scheme = tls.kind === "none" ? "http" : "https";
  return [...named, ...found.map((name) => `${scheme}://${hostName(name)}:${port}`)];
}

/** What the person at the terminal has to know about being reachable. */
export function tellReach(config: ServerConfig, port: number, certificate: Certificate | null, logger: Logger): void {
  if (certificate) {
    const which = config.tls.kind === "own" ? "your own" : `self-signed, stored in ${join(config.dataDir, "tls")}`;
    logger.info(`TLS certificate (${which}), SHA-256 fingerprint ${certificate.fingerprint}`);
  }
  if (isLoopback(config.host)) return;
  if (!certificate)
    logger.warn(
      `LIMINAL_HOST is ${config.host} and TLS is off: anyone who can read the network traffic can take over. Use this only behind your own proxy that adds TLS.`,
    );
  const [first] = otherOrigins(config, port);
  if (first !== undefined)
    logger.info(
      `Other devices can reach it at ${first}. Sign one in with: liminal pair, or Settings › Devices in the page.`,
    );
}

interface MachineNames {
  /** In lower case; without the loopback ones. */
  readonly names: readonly string[];
  /** Addresses by which others may reach this machine, those of private networks first. */
  readonly addresses: readonly string[];
}

/** By what this machine may be called from elsewhere. */
export function machineNames(): MachineNames {
  const name = hostname().toLowerCase();
  const isUsable = /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/.test(name) && name !== "localhost";
  const local = name.includes(".") ? [] : [`${name}.local`];
  const found = Object.values(networkInterfaces())
    .flatMap((one) => one ?? [])
    .filter(({ internal, address, family }) => !internal && !(family === "IPv6" && address.startsWith("fe80:")));
  const addresses = [...new Set(found.map(({ address }) => address))];
  return {
    names: isUsable ? [name, ...local] : [],
    addresses: addresses.sort((one, other) => rank(one) - rank(other)),
  };
}

/** Where a phone at home or in the office most likely is. */
const LIKELY = [/^192\.168\./, /^10\./, /^172\.(1[6-9]|2\d|3[01])\./, /\./];

function rank(address: string): number {
  const place = LIKELY.findIndex((pattern) => pattern.test(address));
  return place === -1 ? LIKELY.length : place;
}
