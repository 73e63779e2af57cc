import { hostname, networkInterfaces } from "node:os";
import { join } from "node:path";
import { hostName } from "../../bridge/own-hosts.ts";
import { isLoopback, type ServerConfig } from "../config.ts";
import type { DataDir } from "../data-dir.ts";
import type { Logger } from "../server-log.ts";
import type { Certificate } from "./read-certificate.ts";

const WILDCARD_LOCAL: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "[::1]" };

/** The certificate to serve with; null without TLS. */
export async function prepareTls(config: ServerConfig, dataDir: DataDir, nowMs: number): Promise<Certificate | null> {
  if (config.tls.kind === "none") return null;
  const { announceCertificate } = await import("./kept-certificate.ts");
  const certificate = await certificateOf(config.tls, config, dataDir, nowMs);
  announceCertificate(dataDir.path, certificate);
  return certificate;
}

async function certificateOf(
  tls: Exclude<ServerConfig["tls"], { kind: "none" }>,
  { host, replicaHost }: ServerConfig,
  dataDir: DataDir,
  nowMs: number,
): Promise<Certificate> {
  switch (tls.kind) {
    case "own": {
      const { readCertificate } = await import("./read-certificate.ts");
      return readCertificate(tls, nowMs);
    }
    case "generated": {
      const { keptCertificate } = await import("./kept-certificate.ts");
      const { names, addresses } = machineNames();
      const others = isLoopback(host) ? [] : isWildcard(host) ? [...names, ...addresses] : [host, ...names];
      // In a URL an address of version 6 is in brackets.
      const inTeam = replicaHost === null ? [] : [replicaHost.replace(/^\[(.*)\]$/, "$1")];
      return keptCertificate(dataDir.path, [...inTeam, ...others], nowMs);
    }
    default:
      return tls satisfies never;
  }
}

function isWildcard(host: string): boolean {
  return host in WILDCARD_LOCAL;
}

/** The address for programs on this machine. */
export function localOrigin({ host, tls }: ServerConfig, port: number): string {
  return `${tls.kind === "none" ? "http" : "https"}://${WILDCARD_LOCAL[host] ?? hostName(host)}:${port}`;
}

/** Addresses for other devices, the likeliest first; those named by the user come before detected ones. */
export function otherOrigins({ host, tls, allowedHosts }: ServerConfig, port: number): readonly string[] {
  // A proxy has its own port and TLS.
  const named = allowedHosts.map(
    (entry) => `https://${entry}${tls.kind === "none" || /:\d+$/.test(entry) ? "" : `:${port}`}`,
  );
  if (isLoopback(host)) return named;
  const { names, addresses } = machineNames();
  const found = isWildcard(host) ? [...addresses, ...names] : [host];
  const scheme = tls.kind === "none" ? "http" : "https";
  return [...named, ...found.map((name) => `${scheme}://${hostName(name)}:${port}`)];
}

/** Logs how the server can be reached. */
export function logAddresses(
  config: ServerConfig,
  port: number,
  certificate: Certificate | null,
  logger: Logger,
): void {
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
  /** Addresses of this machine for others, private networks first. */
  readonly addresses: readonly string[];
}

/** Names and addresses of this machine for others. */
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

/** Networks where a phone at home or in the office most likely is. */
const LIKELY = [/^192\.168\./, /^10\./, /^172\.(1[6-9]|2\d|3[01])\./, /\./];

function rank(address: string): number {
  const place = LIKELY.findIndex((pattern) => pattern.test(address));
  return place === -1 ? LIKELY.length : place;
}
