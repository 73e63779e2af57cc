import type { CliType } from "../../protocol/ids.ts";

/** Where an install stands. The last one of each install is `done`, `failed` or `cancelled`. */
export interface InstallProgress {
  readonly cliType: CliType;
  readonly phase: "preparing" | "downloading" | "testing" | "switching" | "done" | "failed" | "cancelled";
  /** From 0 to 1. */
  readonly progress: number;
  readonly message: string;
}
