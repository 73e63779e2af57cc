import { existsSync } from "node:fs";
import { reportLine } from "../test/report.ts";
import { NOTHING, ONE_FAILED, ONE_PASSED, sum, type Tally } from "../test/tally.ts";
import { AGENT_PACKAGES, agentFolder } from "./agent-packages.ts";
import { type Installed, installAgent } from "./install-agent.ts";

export type InstallOptions = {
  readonly mayInstall: boolean;
  /** An agent that cannot be installed fails the run, instead of being left out with its tests. */
  readonly isRequired: boolean;
  /** Also those that few tests need. */
  readonly withExtra: boolean;
};

/** Installs every agent; one that cannot be installed is reported with the reason. */
export async function installAgents(cache: string, options: InstallOptions): Promise<Tally> {
  const { mayInstall, isRequired, withExtra } = options;
  const tallies: Tally[] = [];
  for (const agent of AGENT_PACKAGES.filter(({ isExtra }) => !isExtra || withExtra)) {
    const folder = agentFolder(cache, agent);
    const isThere = existsSync(folder);
    const installed: Installed =
      isThere || mayInstall
        ? await installAgent(cache, agent)
        : { reason: "not installed, and --no-install was given" };
    if ("folder" in installed) {
      reportLine("ok", agent.name, agent.spec);
      tallies.push(ONE_PASSED);
    } else {
      reportLine(isRequired ? "FAIL" : "skip", agent.name, installed.reason);
      tallies.push(isRequired ? ONE_FAILED : { ...NOTHING, skipped: 1 });
    }
  }
  return sum(tallies);
}
