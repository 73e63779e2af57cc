import { NotStartableError } from "../process/process-host.ts";

/** Why an install did not come about, in words that say what to do. */
export class InstallError extends Error {
  override readonly name = "InstallError";
  /** What the tools said, for whoever wants to know more. */
  readonly details: string | undefined;

  constructor(message: string, details?: string) {
    super(message);
    this.details = details === "" ? undefined : details;
  }
}

/** The user took it back. */
export class InstallCancelledError extends InstallError {}

/** Failures of the machine in words that say what to do; null for what is a fault of ours. */
export function asInstallError(error: unknown, folder: string): InstallError | null {
  if (error instanceof InstallError) return error;
  if (error instanceof NotStartableError)
    return new InstallError("The program that fetches packages cannot be started.", error.message);
  const code: unknown = error instanceof Error ? Reflect.get(error, "code") : undefined;
  switch (code) {
    case "ENOSPC":
    case "EDQUOT":
      return new InstallError(`There is no space left in ${folder}. Free some and try again.`);
    case "EACCES":
    case "EPERM":
    case "EROFS":
    case "EEXIST":
    case "ENOTDIR":
      return new InstallError(
        `${folder} cannot be written to. Check that it is a folder, who owns it, and its permissions.`,
        String(error),
      );
    default:
      return null;
  }
}
