import { AgentProcess } from "./agent-process.ts";
import type { Lifeline } from "./lifeline.ts";
import type { HostedProcess, ProcessHost, ProcessSpec } from "./process-host.ts";
import type { ProcessLedger } from "./process-ledger.ts";

/** Agents as children of the server, held on its lifeline and written down for the next run. */
export class LocalProcessHost implements ProcessHost {
  readonly #lifeline: Lifeline;
  readonly #ledger: ProcessLedger;
  readonly #onError: (error: unknown) => void;

  constructor(lifeline: Lifeline, ledger: ProcessLedger, onError: (error: unknown) => void) {
    this.#lifeline = lifeline;
    this.#ledger = ledger;
    this.#onError = onError;
  }

  start(spec: ProcessSpec): HostedProcess {
    const child = new AgentProcess(spec);
    this.#lifeline.hold(child.pid);
    this.#ledger.add(child.pid);
    child.exited.then(() => this.#release(child.pid)).catch(this.#onError);
    return child;
  }

  #release(pid: number): void {
    this.#lifeline.release(pid);
    this.#ledger.remove(pid);
  }
}
