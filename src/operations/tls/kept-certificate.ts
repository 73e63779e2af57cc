import { createPrivateKey, X509Certificate } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { isIP } from "node:net";
import { join } from "node:path";
import { replaceFile } from "../../agents/install/replace-file.ts";
import { type Certificate, describe, isPair } from "./read-certificate.ts";

const RENEW_BEFORE_MS = 60 * 24 * 3_600_000;
/** A laptop that moves between networks keeps one certificate for all of them, up to this many names. */
const NAMES_MAX = 40;
const ALWAYS = ["localhost", "127.0.0.1", "::1"];

const TLS_FOLDER = "tls";
/** Made by us; with a user's own certificate it stays where it is, unused. */
const GENERATED_FILES = { cert: "generated-cert.pem", key: "generated-key.pem" } as const;
/** What the running server shows, for programs of this machine to hold it against. */
const SERVED_FILE = "served-cert.pem";

/** The one that was made for this data directory; made anew when it is about to expire or lacks a name. */
export async function keptCertificate(dataDir: string, wanted: readonly string[], nowMs: number): Promise<Certificate> {
  const kept = readKept(dataDir);
  const names = new Set([...ALWAYS, ...wanted].map(canonical));
  const isGood =
    kept !== null &&
    kept.expiresAtMs - nowMs > RENEW_BEFORE_MS &&
    [...names].every((name) => kept.names.map(canonical).includes(name));
  if (isGood) return kept;
  const { generateCertificate } = await import("./generate-certificate.ts");
  const all = [...names, ...(kept?.names ?? []).map(canonical).filter((name) => !names.has(name))];
  const { cert, key } = await generateCertificate(all.slice(0, Math.max(NAMES_MAX, names.size)), nowMs);
  const folder = tlsFolder(dataDir);
  replaceFile(join(folder, GENERATED_FILES.key), key);
  replaceFile(join(folder, GENERATED_FILES.cert), cert);
  return describe(cert, key);
}

/** Null without one, and for one that is torn or not a pair: then a new one is made. */
export function readKept(dataDir: string): Certificate | null {
  const [certPath, keyPath] = [GENERATED_FILES.cert, GENERATED_FILES.key].map((name) =>
    join(dataDir, TLS_FOLDER, name),
  );
  if (certPath === undefined || keyPath === undefined || !existsSync(certPath) || !existsSync(keyPath)) return null;
  const [cert, key] = [readFileSync(certPath, "utf8"), readFileSync(keyPath, "utf8")];
  try {
    const leaf = new X509Certificate(cert);
    return isPair(leaf, createPrivateKey(key)) ? describe(cert, key, leaf) : null;
  } catch (error) {
    if (error instanceof Error) return null;
    throw error;
  }
}

export function announceCertificate(dataDir: string, { leaf }: Certificate): void {
  replaceFile(join(tlsFolder(dataDir), SERVED_FILE), leaf);
}

/** For a client on this machine: the one certificate it trusts, under whatever name. */
export function servedTls(dataDir: string) {
  const ca = readFileSync(join(dataDir, TLS_FOLDER, SERVED_FILE), "utf8");
  const { fingerprint256 } = new X509Certificate(ca);
  return {
    ca,
    allowPartialTrustChain: true,
    checkServerIdentity: (_name: string, shown: { readonly fingerprint256: string }) =>
      shown.fingerprint256 === fingerprint256 ? undefined : new Error("its certificate does not match"),
  };
}

function tlsFolder(dataDir: string): string {
  const folder = join(dataDir, TLS_FOLDER);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  chmodSync(folder, 0o700);
  return folder;
}

/** The same address may be written in several ways. */
function canonical(name: string): string {
  return isIP(name) === 6 ? new URL(`http://[${name}]`).hostname.slice(1, -1) : name.toLowerCase();
}
