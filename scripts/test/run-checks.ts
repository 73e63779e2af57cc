import { countCpu } from "./cpu-time.ts";
import { reportLine, reportOutput, seconds } from "./report.ts";
import { ONE_FAILED, ONE_PASSED, sum, type Tally } from "./tally.ts";

/** Scripts of package.json, quickest first; each counts as one test. */
const CHECKS = ["format:check", "lint", "typecheck:server", "typecheck:web", "test:architecture", "knip"];

/** All static checks. */
export async function runChecks(root: string): Promise<Tally> {
  const tallies: Tally[] = [];
  for (const script of CHECKS) tallies.push(await runScript(root, script));
  return sum(tallies);
}

/** Runs one script of package.json; its output is shown only when it fails. */
export async function runScript(root: string, script: string): Promise<Tally> {
  const startedAt = performance.now();
  const child = Bun.spawn(["npm", "run", "--silent", script], { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  countCpu(child);
  reportLine(code === 0 ? "ok" : "FAIL", script, seconds(startedAt));
  if (code === 0) return ONE_PASSED;
  reportOutput(`${stdout}${stderr}`);
  return ONE_FAILED;
}
