// The library's dependency injection has to be loaded first.
import "reflect-metadata";
import { KeyObject } from "node:crypto";
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  type Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  X509Certificate,
  X509CertificateGenerator,
} from "@peculiar/x509";

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;
const DAY_MS = 24 * 3_600_000;
/** Clocks of other machines may be behind ours. */
const BACKDATED_MS = DAY_MS;
/** Until they are revoked: a machine whose certificate ended by itself would have to be visited. */
const VALID_DAYS = 3_650;

/** Both as PEM. */
export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

/** The authority that signs certificates of runners, and the certificate that it shows them. */
export async function makeAuthority(nowMs: number): Promise<{ readonly ca: KeyPair; readonly server: KeyPair }> {
  const caKeys = await newKeys();
  const caName = "CN=Liminal Builder runners";
  const ca = await X509CertificateGenerator.createSelfSigned({
    ...{ name: caName, keys: caKeys, signingAlgorithm: ALGORITHM, ...validFrom(nowMs) },
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
    ],
  });
  const keys = await newKeys();
  const server = await X509CertificateGenerator.create({
    ...{ subject: "CN=Liminal Builder", issuer: caName, publicKey: keys.publicKey, signingKey: caKeys.privateKey },
    ...{ signingAlgorithm: ALGORITHM, ...validFrom(nowMs), extensions: ofEnd(ExtendedKeyUsage.serverAuth) },
  });
  return { ca: pair(ca, caKeys), server: pair(server, keys) };
}

/** Rejects for what is no public key. */
export async function issue(ca: KeyPair, place: string, publicKeyPem: string, nowMs: number): Promise<string> {
  const authority = new X509Certificate(ca.cert);
  const signingKey = await crypto.subtle.importKey("pkcs8", derOf(ca.key), ALGORITHM, false, ["sign"]);
  const publicKey = await crypto.subtle.importKey("spki", derOf(publicKeyPem), ALGORITHM, true, ["verify"]);
  const certificate = await X509CertificateGenerator.create({
    ...{ subject: `CN=${place}`, issuer: authority.subject, publicKey, signingKey },
    ...{ signingAlgorithm: ALGORITHM, ...validFrom(nowMs), extensions: ofEnd(ExtendedKeyUsage.clientAuth) },
  });
  return `${certificate.toString("pem")}\n`;
}

/** Neither of them may sign another one. */
function ofEnd(usage: ExtendedKeyUsage): Extension[] {
  return [
    new BasicConstraintsExtension(false, undefined, true),
    new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
    new ExtendedKeyUsageExtension([usage]),
  ];
}

function validFrom(nowMs: number) {
  const notBefore = new Date(nowMs - BACKDATED_MS);
  return { notBefore, notAfter: new Date(notBefore.getTime() + VALID_DAYS * DAY_MS) };
}

function newKeys(): Promise<CryptoKeyPair> {
  return crypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);
}

function pair(certificate: X509Certificate, { privateKey }: CryptoKeyPair): KeyPair {
  return {
    cert: `${certificate.toString("pem")}\n`,
    key: String(KeyObject.from(privateKey).export({ type: "pkcs8", format: "pem" })),
  };
}

function derOf(pem: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(pem.replace(/-----[^-]+-----|\s/g, ""), "base64"));
}
