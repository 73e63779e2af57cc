import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Invariant } from "./invariant.ts";

const GONE_MS_MAX = 15_000;
/** Anything else in the data directory of a server that has stopped was forgotten there. */
const KEPT =
  /^(config\.json|liminal\.db|lock|port|token|places\.json|held|agent-processes|mcp-.*|agents|vaults|worktrees|merges|terminals|project-commands\.json|logs?|.*\.log)$/;

/** After a clean stop: no process, no socket, no temporary file. */
export const nothingLeft: Invariant = {
  name: "no process, socket or file is left",
  breach: "orphan",
  async check({ server, dirs, openFarMachine }) {
    const left = await server.processes.leftAfter(GONE_MS_MAX);
    const files = readdirSync(dirs.data).filter((name) => !KEPT.test(name));
    // A directory is made with the first terminal or agent in it.
    const within = (name: string) =>
      existsSync(join(dirs.data, name)) ? readdirSync(join(dirs.data, name)).map((found) => `${name}/${found}`) : [];
    return [
      ...left.map(({ pid, commandLine }) => `process ${pid} ${commandLine}`),
      ...files.map((name) => `file ${name}`),
      ...within("held"),
      ...within("terminals"),
      ...((await openFarMachine)?.held() ?? []),
    ];
  },
};
