import type { CliType } from "../../protocol/ids.ts";
import type { PackageSpec } from "./package-spec.ts";

/** What an install of an agent brings, and how the agent is started then. */
export interface InstallTarget {
  readonly id: CliType;
  readonly name: string;
  readonly package: PackageSpec;
  /** The program of the package to start, where it has several. */
  readonly program?: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}
