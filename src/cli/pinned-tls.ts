import { X509Certificate } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { CliError, EXIT } from "./exit-codes.ts";

/** Where the server puts the certificate it shows. */
const SERVED_FILE = join("tls", "served-cert.pem");

export interface PinnedTls {
  readonly ca: string;
  readonly allowPartialTrustChain: true;
  readonly checkServerIdentity: (name: string, shown: { readonly fingerprint256: string }) => Error | undefined;
}

/** Trusts the one certificate in the data directory, which only this user and the server can write, and no other; whatever names it has. */
export function pinnedTls(dataDir: string): PinnedTls {
  const path = join(dataDir, SERVED_FILE);
  if (!existsSync(path))
    throw new CliError(
      EXIT.noServer,
      `${path} is missing, so the server cannot be recognized. Start it again.`,
      "NO_SERVER",
    );
  const ca = readFileSync(path, "utf8");
  const { fingerprint256 } = new X509Certificate(ca);
  return {
    ca,
    allowPartialTrustChain: true,
    checkServerIdentity: (_name, shown) =>
      shown.fingerprint256 === fingerprint256
        ? undefined
        : new Error(`The server shows another certificate than the one in ${path}.`),
  };
}
