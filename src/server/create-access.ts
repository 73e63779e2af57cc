import { randomBytes } from "node:crypto";
import { BadTokenLimit } from "../access/bad-token-limit.ts";
import { Devices } from "../access/devices.ts";
import { Pairing } from "../access/pairing.ts";
import { AccessControl } from "../bridge/access-control.ts";
import type { Reach } from "../bridge/device-routes.ts";
import { OwnHosts } from "../bridge/own-hosts.ts";
import { isLoopback, type ServerConfig } from "../operations/config.ts";
import { localOrigin, machineNames, otherOrigins } from "../operations/tls/prepare-tls.ts";
import type { Certificate } from "../operations/tls/read-certificate.ts";
import type { DeviceStore } from "../ports/device-store.ts";
import type { World } from "../ports/world.ts";

const SECRET_BYTES = 32;

interface CreateAccessOptions {
  readonly config: ServerConfig;
  readonly token: string;
  /** Opens what the token opens; null where commands read the token itself. */
  readonly commandToken: string | null;
  readonly world: World;
  readonly certificate: Certificate | null;
  readonly store: DeviceStore;
  readonly onUnstored: (error: unknown) => void;
}

/** What the HTTP server needs to know about who may come in, and by which ways. */
export function createAccess(options: CreateAccessOptions) {
  const { config, token, commandToken, world, certificate, store, onUnstored } = options;
  const newSecret = () => randomBytes(SECRET_BYTES).toString("base64url");
  const devices = new Devices({ store, token, world, newSecret, onUnstored });
  const monotonicMs = () => performance.now();
  const pairing = new Pairing({ world, monotonicMs, newSecret, isSignedIn: (id) => devices.isSignedIn(id) });
  const badTokens = new BadTokenLimit(monotonicMs);
  const { host, allowedHosts: allowed } = config;
  const names = isLoopback(host) ? [] : machineNames().names;
  const isTls = certificate !== null;
  return {
    tls: certificate && { cert: certificate.cert, key: certificate.key },
    access: (port: number) => {
      const hosts = new OwnHosts({ host, port, isTls, names, allowed });
      return new AccessControl({
        token,
        commandToken,
        port,
        hosts,
        isTls,
        devices,
        pairing,
        badTokens,
        monotonicMs,
        newSecret,
      });
    },
    reach: (port: number): Reach => ({
      origins: () => otherOrigins(config, port),
      localOrigin: localOrigin(config, port),
      certificate: certificate && {
        fingerprint: certificate.fingerprint,
        isGenerated: config.tls.kind === "generated",
        expiresAt: new Date(certificate.expiresAtMs).toISOString(),
      },
    }),
  };
}
