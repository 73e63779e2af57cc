// The library's dependency injection has to be loaded first.
import "reflect-metadata";
import { isIP } from "node:net";
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from "@peculiar/x509";

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;
const DAY_MS = 24 * 3_600_000;
/** The longest validity that browsers and phones accept, even for certificates the user trusts. */
const VALID_DAYS = 397;
/** Clocks of other devices may be behind ours. */
const BACKDATED_MS = DAY_MS;

/** A self-signed certificate for these names and addresses, and its key; both as PEM. */
export async function generateCertificate(
  names: readonly string[],
  nowMs: number,
): Promise<{ readonly cert: string; readonly key: string }> {
  const keys = await crypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: "CN=Liminal Builder",
    notBefore: new Date(nowMs - BACKDATED_MS),
    notAfter: new Date(nowMs - BACKDATED_MS + VALID_DAYS * DAY_MS),
    signingAlgorithm: ALGORITHM,
    keys,
    extensions: [
      // It cannot sign others: trusting it means trusting this server only.
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
      new SubjectAlternativeNameExtension(
        names.map((value) => ({ type: isIP(value) === 0 ? ("dns" as const) : ("ip" as const), value })),
      ),
    ],
  });
  const key = Buffer.from(await crypto.subtle.exportKey("pkcs8", keys.privateKey)).toString("base64");
  return { cert: `${certificate.toString("pem")}\n`, key: pem("PRIVATE KEY", key) };
}

function pem(kind: string, base64: string): string {
  return `-----BEGIN ${kind}-----\n${base64.replace(/.{64}/g, "$&\n").trimEnd()}\n-----END ${kind}-----\n`;
}
