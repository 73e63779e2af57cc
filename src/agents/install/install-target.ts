import { ExactVersion } from "../../protocol/exact-version.ts";
import type { CliType } from "../../protocol/ids.ts";
import { NotStartableError } from "../process/process-host.ts";

/** What an install contains, and how the agent is started afterwards. */
export interface InstallTarget {
  readonly id: CliType;
  readonly name: string;
  readonly package: PackageSpec;
  /** The program of the package to start, if it has several. */
  readonly program?: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export interface PackageSpec {
  readonly name: string;
  readonly version: string;
}

const NAME = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/;

/** `name@1.2.3` as the registry writes it. Null for anything but a plain package with one exact version. */
export function parsePackageSpec(spec: string, versionOtherwise: string): PackageSpec | null {
  const at = spec.indexOf("@", 1);
  const name = at === -1 ? spec : spec.slice(0, at);
  const version = ExactVersion.safeParse(at === -1 ? versionOtherwise : spec.slice(at + 1));
  if (!NAME.test(name) || name.startsWith("-") || !version.success) return null;
  return { name, version: version.data };
}

/** Progress of an install. The last one of each install is `done`, `failed` or `cancelled`. */
export interface InstallProgress {
  readonly cliType: CliType;
  readonly phase: "preparing" | "downloading" | "testing" | "switching" | "done" | "failed" | "cancelled";
  /** From 0 to 1. */
  readonly progress: number;
  readonly message: string;
}

/** Why an install failed, and what to do. */
export class InstallError extends Error {
  override readonly name = "InstallError";
  /** Output of the tools, for details. */
  readonly details: string | undefined;

  constructor(message: string, details?: string) {
    super(message);
    this.details = details === "" ? undefined : details;
  }
}

/** The user cancelled it. */
export class InstallCancelledError extends InstallError {}

/** Converts failures of the machine to errors with advice; null for bugs of ours. */
export function asInstallError(error: unknown, folder: string): InstallError | null {
  if (error instanceof InstallError) return error;
  if (error instanceof NotStartableError)
    return new InstallError("The package manager could not be started.", error.message);
  const code: unknown = error instanceof Error ? Reflect.get(error, "code") : undefined;
  switch (code) {
    case "ENOSPC":
    case "EDQUOT":
      return new InstallError(`No space left in ${folder}. Free some space and try again.`);
    case "EACCES":
    case "EPERM":
    case "EROFS":
    case "EEXIST":
    case "ENOTDIR":
      return new InstallError(
        `Cannot write to ${folder}. Check that it is a folder, its owner and its permissions.`,
        String(error),
      );
    default:
      return null;
  }
}
