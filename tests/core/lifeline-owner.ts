import { Lifeline } from "../../src/agents/process/lifeline.ts";
import { LocalProcessHost } from "../../src/agents/process/local-process-host.ts";
import { ProcessLedger } from "../../src/agents/process/process-ledger.ts";
import { RUN_VARIABLE } from "../../src/agents/process/sweep-leftovers.ts";

/** The program below: started with the id of a run, it prints the processes it started and waits to be killed. */
export const LIFELINE_OWNER = import.meta.path;

const NEVER_MS = 60_000;
/** An agent that leaves a child in its group and a daemon in a session of its own. */
const AGENT = 'sleep 300 & child=$!; setsid sleep 300 </dev/null >/dev/null 2>&1 & echo "$child $!"; exec cat';

/** Takes the place of the server: holds two agents on a lifeline. */
async function holdAgents(run: string): Promise<void> {
  const env = { PATH: process.env["PATH"] ?? "", LIMINAL_TEST_CASE: process.env["LIMINAL_TEST_CASE"] ?? "" };
  const host = new LocalProcessHost(new Lifeline(run, env), new ProcessLedger("/dev/null"), (error) => {
    throw error;
  });
  for (let agents = 0; agents < 2; agents += 1) {
    await new Promise<void>((resolve) => {
      const agent = host.start({
        command: ["/bin/sh", "-c", AGENT],
        cwd: "/",
        env: { ...env, [RUN_VARIABLE]: run },
        onLine: (line) => {
          console.log(`${agent.pid} ${line}`);
          resolve();
        },
        onStderr: () => undefined,
        onTooLong: () => undefined,
      });
    });
  }
  console.log("ready");
  setInterval(() => undefined, NEVER_MS);
}

if (import.meta.main) await holdAgents(process.argv[2] ?? "");
