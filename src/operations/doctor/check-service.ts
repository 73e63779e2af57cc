import { join } from "node:path";
import { ServiceTrouble, type Trouble } from "../../access/service-trouble.ts";
import { isLoopback, type ServerConfig } from "../config.ts";
import { loadConfigFile } from "../config-file.ts";
import { errorText, type Finding, note, ok, problem } from "./finding.ts";

const ID = "sign-in";
const FIXES: Readonly<Partial<Record<Trouble, string>>> = {
  unreachable: "Open the address of the issuer from this machine, and correct oidc.issuer or the way there.",
  unverifiable: 'Set oidc.issuer to exactly what the service calls "issuer".',
};
const FIX = "Correct oidc in config.json.";

/** Asks the sign-in service of config.json for its addresses and keys. Nobody is signed in. */
export async function checkService({ dataDir, env, allowedHosts }: ServerConfig): Promise<readonly Finding[]> {
  const { service } = loadConfigFile(join(dataDir, "config.json"), env);
  if (service === null) return [];
  const found = service.clientSecret();
  if ("reason" in found) return [problem(ID, found.reason, FIX)];
  const host = service.address === null ? null : new URL(service.address);
  const isReached =
    host === null || isLoopback(host.hostname) || [host.host, host.hostname].some((one) => allowedHosts.includes(one));
  const notes = isReached
    ? []
    : [
        note(
          ID,
          `People come back from ${service.name} at ${service.address}, which is not in LIMINAL_ALLOWED_HOSTS here.`,
          `Unless it is a name of this machine, set LIMINAL_ALLOWED_HOSTS=${host.hostname}`,
        ),
      ];
  try {
    const { OpenIdConnect } = await import("../../access/openid-connect.ts");
    await (await OpenIdConnect.discover(service, found.secret)).checkKeys();
    return [ok(ID, `${service.name} answers (${service.issuer}).`), ...notes];
  } catch (error) {
    const fix = error instanceof ServiceTrouble ? FIXES[error.trouble] : undefined;
    return [
      problem(ID, `${service.name} (${service.issuer}) cannot be used: ${errorText(error)}.`, fix ?? FIX),
      ...notes,
    ];
  }
}
