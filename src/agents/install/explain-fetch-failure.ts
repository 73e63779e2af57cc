import { InstallError, type PackageSpec } from "./install-target.ts";

/** What the package tools print for each failure; they have no codes of their own for most of them. */
const SIGNS = {
  disk: /ENOSPC|NoSpaceLeft|No space left/i,
  checksum: /IntegrityCheckFailed|Integrity check failed|EINTEGRITY/,
  platform: /EBADPLATFORM/,
  signIn: /- 40[13]\b|\bE40[13]\b|ENEEDAUTH/,
  missing: /- 404\b|\bE404\b|No version matching|ETARGET/,
  certificate: /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|TLS/i,
  offline:
    /Connection(Refused|Closed|Reset)|DNSResolveFailed|FailedToOpenSocket|Timeout|ECONN|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH/i,
} as const;

/** The failure of a download as something the user can act on. */
export function explainFetchFailure(spec: PackageSpec, output: string): InstallError {
  const what = `${spec.name} ${spec.version}`;
  // Packages for other systems are missing from many registries, which only earns a warning.
  const errors = output.replace(/^warn:.*$/gm, "");
  const has = (sign: keyof typeof SIGNS) => SIGNS[sign].test(errors);
  if (has("disk")) return new InstallError("The disk is full. Free some space and try again.", output);
  if (has("checksum"))
    return new InstallError(
      `The download of ${what} does not match its published checksum, so it was thrown away. ` +
        "Try again; if it stays so, tell whoever runs your package registry.",
      output,
    );
  if (has("platform")) return unsupportedPlatform(spec.version, output);
  if (has("signIn"))
    return new InstallError(
      `Your package registry wants a sign-in for ${what}. Check the token in your .npmrc.`,
      output,
    );
  if (has("missing"))
    return new InstallError(
      `Your package registry does not have ${what}, or not everything it needs. ` +
        "Choose another version, or check the registry in your .npmrc.",
      output,
    );
  if (has("offline"))
    return new InstallError(
      "The package registry cannot be reached. Check the network (and the proxy and registry in your .npmrc), then try again.",
      output,
    );
  if (has("certificate"))
    return new InstallError(
      "The package registry's certificate is not trusted. Check cafile in your .npmrc, or NODE_EXTRA_CA_CERTS.",
      output,
    );
  return new InstallError(`${what} could not be downloaded.`, output);
}

export function unsupportedPlatform(version: string, details?: string): InstallError {
  return new InstallError(`Version ${version} has no build for ${process.platform} on ${process.arch}.`, details);
}
