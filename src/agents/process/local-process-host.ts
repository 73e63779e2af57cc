import { AgentProcess } from "./agent-process.ts";
import type { Lifeline } from "./lifeline.ts";
import type { HostedProcess, ProcessHost, ProcessSpec } from "./process-host.ts";

/** Agents as children of the server, held on its lifeline. */
export class LocalProcessHost implements ProcessHost {
  readonly #lifeline: Lifeline;
  readonly #onError: (error: unknown) => void;

  constructor(lifeline: Lifeline, onError: (error: unknown) => void) {
    this.#lifeline = lifeline;
    this.#onError = onError;
  }

  start(spec: ProcessSpec): HostedProcess {
    const child = new AgentProcess(spec);
    this.#lifeline.hold(child.pid);
    child.exited.then(() => this.#lifeline.release(child.pid)).catch(this.#onError);
    return child;
  }
}
