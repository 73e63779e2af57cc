import { ConfigError, type ServerConfig } from "../config.ts";
import { readKept } from "../tls/kept-certificate.ts";
import { type Certificate, readCertificate } from "../tls/read-certificate.ts";
import { type Finding, note, ok, problem } from "./finding.ts";

const SOON_MS = 30 * 24 * 3_600_000;

/** Whether what others see of us is encrypted, and by which certificate it is known. */
export function checkTls({ tls, host, dataDir }: ServerConfig, nowMs: number): Finding {
  switch (tls.kind) {
    case "none":
      return ok("tls", `No TLS, on ${host}.`);
    case "generated": {
      const kept = readKept(dataDir);
      if (!kept) return note("tls", "There is no certificate yet; the next start makes it.");
      return described("made by us", kept, nowMs, "Start the server again: it makes a new one.");
    }
    case "own":
      try {
        return described("your own", readCertificate(tls, nowMs), nowMs, "Renew it, then start the server again.");
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
        return problem("tls", error.message, "Correct that, or unset LIMINAL_TLS_CERT and LIMINAL_TLS_KEY.");
      }
    default:
      return tls satisfies never;
  }
}

function described(whose: string, { fingerprint, expiresAtMs }: Certificate, nowMs: number, fix: string): Finding {
  const day = new Date(expiresAtMs).toISOString().slice(0, "2000-01-01".length);
  const words = `The certificate (${whose}) is good until ${day}; its SHA-256 fingerprint is ${fingerprint}.`;
  if (expiresAtMs <= nowMs) return problem("tls", words, fix);
  return expiresAtMs - nowMs < SOON_MS ? note("tls", words, fix) : ok("tls", words);
}
