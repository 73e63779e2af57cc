import type { FlowGate } from "../../lib/flow-gate.ts";
import { AgentProcess } from "./agent-process.ts";
import type { Lifeline } from "./lifeline.ts";
import type { HostedProcess, ProcessHost, ProcessSpec } from "./process-host.ts";
import type { ProcessLedger } from "./process-ledger.ts";

/** Runs agents as children of the server, held on its lifeline and recorded for the next run. */
export class LocalProcessHost implements ProcessHost {
  readonly #lifeline: Lifeline;
  readonly #ledger: ProcessLedger;
  readonly #onError: (error: unknown) => void;
  readonly #flow: FlowGate | null;

  /** `flow`: while it is closed, nothing is read from the processes. */
  constructor(
    lifeline: Lifeline,
    ledger: ProcessLedger,
    onError: (error: unknown) => void,
    flow: FlowGate | null = null,
  ) {
    this.#lifeline = lifeline;
    this.#ledger = ledger;
    this.#onError = onError;
    this.#flow = flow;
  }

  start(spec: ProcessSpec): HostedProcess {
    const child = new AgentProcess({ ...spec, room: () => this.#flow?.room() ?? null });
    this.#lifeline.hold(child.pid);
    this.#note(child.pid);
    child.exited.then(() => this.#release(child.pid)).catch(this.#onError);
    return child;
  }

  /** An unrecorded process is found by its environment. */
  #note(pid: number): void {
    try {
      this.#ledger.add(pid);
    } catch (error) {
      this.#onError(error);
    }
  }

  #release(pid: number): void {
    this.#lifeline.release(pid);
    this.#ledger.remove(pid);
  }
}
