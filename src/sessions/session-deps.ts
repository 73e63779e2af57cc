import type { AgentChoices } from "../ports/agent-choices.ts";
import type { Agents } from "../ports/agents.ts";
import type { SessionLog } from "../ports/session-log.ts";
import type { Storage } from "../ports/storage.ts";
import type { World } from "../ports/world.ts";
import type { Fact } from "../protocol/facts.ts";
import type { SessionId } from "../protocol/ids.ts";
import type { Delegations } from "./delegation/delegations.ts";
import type { PolicyService } from "./policy/policy-service.ts";

/** What a session needs from those around it. */
export interface SessionDeps {
  readonly world: World;
  readonly log: SessionLog;
  readonly storage: Storage;
  readonly agents: Agents;
  readonly policy: PolicyService;
  readonly choices: AgentChoices;
  readonly delegations: Pick<Delegations, "parentOf">;
  /** A turn with nothing heard for this long is shown as stalled. */
  readonly stallMs: number;
  /** Whether someone looks at the session this moment. */
  readonly isShown: (sessionId: SessionId) => boolean;
  /** Whether a client draws the session as it comes; one that follows it out of view does not. */
  readonly isWatched: (sessionId: SessionId) => boolean;
  readonly onCommitted: (sessionId: SessionId, facts: readonly Fact[]) => void;
  /** The start of its agent is at another point than before. */
  readonly onStart: (sessionId: SessionId) => void;
  readonly onError: (error: unknown) => void;
}
