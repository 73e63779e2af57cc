import { ExactVersion } from "../../protocol/client-messages.ts";

export interface PackageSpec {
  readonly name: string;
  readonly version: string;
}

const NAME = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/;

/** `name@1.2.3` as the registry writes it. Null for anything that is not a plain package of one exact version. */
export function parsePackageSpec(spec: string, versionOtherwise: string): PackageSpec | null {
  const at = spec.indexOf("@", 1);
  const name = at === -1 ? spec : spec.slice(0, at);
  const version = ExactVersion.safeParse(at === -1 ? versionOtherwise : spec.slice(at + 1));
  if (!NAME.test(name) || name.startsWith("-") || !version.success) return null;
  return { name, version: version.data };
}
