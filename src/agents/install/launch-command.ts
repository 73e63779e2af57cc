import { join } from "node:path";
import type { Launch } from "./installed-version.ts";

/** An empty one lies in each version's folder: the folder an agent works in must not preload code into it. */
export const BUN_CONFIG_FILE = "bunfig.toml";

export interface Runtimes {
  readonly bun: string;
  readonly node: () => string | null;
}

/** The command line of a version that lies in `folder`; null when its runtime is not there any more. */
export function launchCommand(folder: string, launch: Launch, runtimes: Runtimes): readonly string[] | null {
  const file = join(folder, launch.file);
  switch (launch.runtime) {
    case "native":
      return [file, ...launch.args];
    case "bun": {
      const config = `--config=${join(folder, BUN_CONFIG_FILE)}`;
      return [runtimes.bun, "--no-env-file", "--no-install", config, file, ...launch.args];
    }
    case "node": {
      const node = runtimes.node();
      return node === null ? null : [node, file, ...launch.args];
    }
    default:
      return launch.runtime satisfies never;
  }
}
