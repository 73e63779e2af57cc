import { X509Certificate } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { CliError, EXIT } from "./exit-codes.ts";

/** Where the server puts the certificate it shows. */
const SERVED_FILE = join("tls", "served-cert.pem");

/** The certificate was looked at and refused, which is not the same as nobody being there. */
class StrangerError extends Error {
  override readonly name = "StrangerError";
}

export interface PinnedTls {
  readonly path: string;
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
    path,
    ca,
    allowPartialTrustChain: true,
    checkServerIdentity: (_name, shown) =>
      shown.fingerprint256 === fingerprint256 ? undefined : new StrangerError("another certificate"),
  };
}

export function isCertificateFault(error: unknown): boolean {
  if (error instanceof StrangerError) return true;
  const code: unknown = error instanceof Error ? Reflect.get(error, "code") : undefined;
  return typeof code === "string" && /CERT|SIGNATURE|ISSUER/.test(code);
}

export function strangerError(origin: string, { path }: PinnedTls): CliError {
  const words = `${origin} shows another certificate than the one in ${path}, so nothing was sent to it. Start the server again; if that does not help, another program answers there.`;
  return new CliError(EXIT.failed, words, "STRANGE_SERVER");
}
