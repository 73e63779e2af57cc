import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { ConfigError } from "../config.ts";

export interface Certificate {
  readonly cert: string;
  readonly key: string;
  /** SHA-256 of the certificate, as browsers show it. */
  readonly fingerprint: string;
  readonly expiresAtMs: number;
  /** The names it is valid for. */
  readonly names: readonly string[];
  /** The certificate alone, without its chain. */
  readonly leaf: string;
}

interface CertificateFiles {
  readonly cert: string;
  readonly key: string;
}

/** The user's certificate; errors name the variable that points to it. */
export function readCertificate({ cert: certPath, key: keyPath }: CertificateFiles, nowMs: number): Certificate {
  const cert = readPem("LIMINAL_TLS_CERT", certPath);
  const key = readPem("LIMINAL_TLS_KEY", keyPath);
  const leaf = parse(
    () => new X509Certificate(cert),
    `LIMINAL_TLS_CERT: ${certPath} contains no certificate. It must start with -----BEGIN CERTIFICATE-----, with the server's own certificate first.`,
  );
  const privateKey = parse(
    () => createPrivateKey(key),
    `LIMINAL_TLS_KEY: ${keyPath} contains no readable private key. Use PEM without a passphrase.`,
  );
  const certificate = describe(cert, key, leaf);
  if (!isPair(leaf, privateKey))
    throw new ConfigError(`LIMINAL_TLS_KEY: the key in ${keyPath} does not match the certificate in ${certPath}.`);
  if (certificate.expiresAtMs <= nowMs)
    throw new ConfigError(
      `LIMINAL_TLS_CERT: the certificate in ${certPath} expired on ${leaf.validTo}. Renew it, or unset LIMINAL_TLS_CERT and LIMINAL_TLS_KEY to use a generated one.`,
    );
  if (Date.parse(leaf.validFrom) > nowMs)
    throw new ConfigError(
      `LIMINAL_TLS_CERT: the certificate in ${certPath} is not valid before ${leaf.validFrom}. Check the system clock.`,
    );
  return certificate;
}

export function describe(cert: string, key: string, leaf = new X509Certificate(cert)): Certificate {
  return {
    cert,
    key,
    fingerprint: leaf.fingerprint256,
    expiresAtMs: Date.parse(leaf.validTo),
    names: (leaf.subjectAltName ?? "").split(", ").map((entry) => entry.slice(entry.indexOf(":") + 1)),
    leaf: leaf.toString(),
  };
}

export function isPair(leaf: X509Certificate, key: KeyObject): boolean {
  return leaf.checkPrivateKey(key);
}

function readPem(variable: string, path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const code: unknown = error instanceof Error ? Reflect.get(error, "code") : undefined;
    if (code === "ENOENT") throw new ConfigError(`${variable}: ${path} does not exist. Correct the path.`);
    if (code === "EACCES" || code === "EPERM")
      throw new ConfigError(`${variable}: ${path} cannot be read by this user. Change its permissions or owner.`);
    if (code !== undefined)
      throw new ConfigError(`${variable}: ${path} cannot be read (${String(code)}). Use a file in PEM format.`);
    throw error;
  }
}

function parse<Value>(read: () => Value, words: string): Value {
  try {
    return read();
  } catch (error) {
    if (error instanceof Error) throw new ConfigError(words);
    throw error;
  }
}
