import type { AgentProcess } from "../../src/agents/process/agent-process.ts";
import { Lifeline } from "../../src/agents/process/lifeline.ts";
import { LocalProcessHost } from "../../src/agents/process/local-process-host.ts";
import { RUN_VARIABLE } from "../../src/agents/process/sweep-leftovers.ts";

/**
 * Stands for the server: holds two agents on a lifeline, lets one go, and waits to be killed.
 * Agents are shell scripts that leave a child in their group and a daemon in a session of its own.
 */
const run = process.argv[2] ?? "";
const env = Object.fromEntries(Object.entries(process.env).filter((pair): pair is [string, string] => !!pair[1]));
const host = new LocalProcessHost(new Lifeline(run, env), (error) => {
  throw error;
});
const script = 'sleep 300 & child=$!; setsid sleep 300 </dev/null >/dev/null 2>&1 & echo "$child $!"; exec cat';

function startAgent(): Promise<AgentProcess | { pid: number }> {
  return new Promise((resolve) => {
    const agent = host.start({
      command: ["/bin/sh", "-c", script],
      cwd: "/",
      env: { ...env, [RUN_VARIABLE]: run },
      onLine: (line) => {
        console.log(`${agent.pid} ${line}`);
        resolve(agent);
      },
      onStderr: () => undefined,
      onTooLong: () => undefined,
    });
  });
}

await startAgent();
await startAgent();
console.log("ready");
setInterval(() => undefined, 60_000);
