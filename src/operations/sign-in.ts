import type { OfferedSignIn } from "../agents/acp/sign-in-method.ts";
import type { AgentPool } from "../agents/pool/agent-pool.ts";
import { TERMINALS_MAX, Terminals } from "../agents/process/sign-in-terminals.ts";
import type { Authenticate, TerminalMessage } from "../bridge/answer-message.ts";
import type { Hub } from "../fanout/hub.ts";
import type { World } from "../ports/world.ts";
import { REFUSE, RefusalError } from "../protocol/errors.ts";
import type { CliType } from "../protocol/ids.ts";
import type { Answer } from "../sessions/answer.ts";
import type { SessionService } from "../sessions/session-service.ts";

interface SignInParts {
  readonly world: World;
  readonly pool: AgentPool;
  readonly sessions: SessionService;
  readonly hub: Hub;
  readonly home: string;
  readonly onError: (error: unknown) => void;
}

/** Runs an agent's own sign-in: starts it, shows it, and then resumes the sessions that waited for it. */
export class SignIn {
  readonly #parts: SignInParts;
  readonly #terminals: Terminals;

  constructor(parts: SignInParts) {
    this.#parts = parts;
    this.#terminals = new Terminals(parts.world.newId, {
      onOutput: (terminalId, data) => parts.hub.publish({ type: "terminal:output", terminalId, data }),
      onExit: (terminalId, exitCode) => parts.hub.publish({ type: "terminal:exited", terminalId, exitCode }),
    });
  }

  async start({ cliType, methodId }: Authenticate): Promise<Answer> {
    const { pool } = this.#parts;
    const agent = pool.find(cliType);
    if (!agent) return { kind: "refused", refusal: REFUSE.agentUnknown(cliType) };
    const method = pool.signInMethod(cliType, methodId);
    if (method?.kind === "terminal") return this.#openTerminal(cliType, agent.name, method);
    try {
      await pool.authenticate(cliType, methodId);
    } catch (error) {
      if (!(error instanceof RefusalError)) throw error;
      return { kind: "refused", refusal: error.refusal };
    }
    this.#signedIn(cliType);
    return { kind: "ok" };
  }

  async end(cliType: CliType): Promise<Answer> {
    const { pool, hub } = this.#parts;
    const agent = pool.find(cliType);
    if (!agent) return { kind: "refused", refusal: REFUSE.agentUnknown(cliType) };
    try {
      if (!(await pool.signOut(cliType))) return { kind: "refused", refusal: REFUSE.signOutUnsupported(agent.name) };
    } catch (error) {
      if (!(error instanceof RefusalError)) throw error;
      return { kind: "refused", refusal: error.refusal };
    }
    hub.publish({ type: "agent:list", agents: [...pool.list()] });
    return { kind: "ok" };
  }

  terminal(message: TerminalMessage): Answer {
    const known = this.#forward(message);
    return known ? { kind: "ok" } : { kind: "refused", refusal: REFUSE.notPending("the terminal has ended") };
  }

  stop(): Promise<void> {
    return this.#terminals.stop();
  }

  #forward(message: TerminalMessage): boolean {
    switch (message.type) {
      case "terminal:input":
        return this.#terminals.write(message.terminalId, message.data);
      case "terminal:resize":
        return this.#terminals.resize(message.terminalId, message.columns, message.rows);
      case "terminal:close":
        return this.#terminals.close(message.terminalId);
      default:
        return message satisfies never;
    }
  }

  async #openTerminal(cliType: CliType, name: string, method: OfferedSignIn): Promise<Answer> {
    const spec = await this.#parts.pool.signInTerminal(cliType, method);
    if (!spec) return { kind: "refused", refusal: REFUSE.agentNotInstalled(name) };
    const terminalId = this.#terminals.open(spec, (exitCode) => {
      if (exitCode === 0) this.#reconnect(cliType).catch(this.#parts.onError);
    });
    if (terminalId === null) return { kind: "refused", refusal: REFUSE.limitExceeded("open terminals", TERMINALS_MAX) };
    const message = { type: "terminal:opened", terminalId, title: `Sign in to ${name}` } as const;
    return { kind: "message", message, published: false };
  }

  /** A login outside the process is only visible to a new process. */
  async #reconnect(cliType: CliType): Promise<void> {
    const { pool, home } = this.#parts;
    await pool.reconnect(cliType, null, home, true);
    pool.forgetSignedOut(cliType);
    this.#signedIn(cliType);
  }

  #signedIn(cliType: CliType): void {
    const { pool, hub, sessions } = this.#parts;
    hub.publish({ type: "agent:list", agents: [...pool.list()] });
    sessions.continueAfterSignIn(cliType);
  }
}
