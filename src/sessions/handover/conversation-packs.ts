import type { Agents } from "../../ports/agents.ts";
import type { BranchStore } from "../../ports/branch-store.ts";
import type { SessionLog } from "../../ports/session-log.ts";
import { packUri } from "../../protocol/conversation-pack.ts";
import type { Entry } from "../../protocol/entry.ts";
import { type CliType, cliTypeOf, type SessionId } from "../../protocol/ids.ts";
import type { Pack, ToldEntry } from "./pack-conversation.ts";

/** Loaded with the first pack, in that step (decision 149). */
const LATER = {
  pack: (): typeof import("./pack-conversation.ts") => require("./pack-conversation.ts"),
};

interface ConversationPacksDeps {
  readonly store: BranchStore;
  readonly log: Pick<SessionLog, "row">;
  readonly agents: Pick<Agents, "find">;
}

export interface PackRequest {
  /** The conversation to pack. */
  readonly sessionId: SessionId;
  /** Up to there; by default all that has settled. */
  readonly until?: number;
  /** The session that the agent works in. */
  readonly reader: SessionId;
  /** The agent that gets the pack. */
  readonly cliType: CliType;
}

/** More would rarely fit. */
const ENTRIES_READ_MAX = 400;
/** A conversation that was handed over more often uses one name for the rest. */
const ORIGINS_MAX = 10;

/** Builds the context pack for an agent without memory of the conversation. */
export class ConversationPacks {
  readonly #deps: ConversationPacksDeps;

  constructor(deps: ConversationPacksDeps) {
    this.#deps = deps;
  }

  /** Null when there are no messages. */
  async make({ sessionId, until, reader, cliType }: PackRequest): Promise<Pack | null> {
    const { store, log } = this.#deps;
    const end = until ?? (await store.lastPosition(sessionId));
    const entries = await store.entriesUpTo(sessionId, end, ENTRIES_READ_MAX);
    const { packBudgetChars, packConversation } = LATER.pack();
    return packConversation({
      uri: packUri(reader),
      title: (await log.row(sessionId))?.title ?? "",
      entries: await this.#told(sessionId, entries),
      first: await store.firstMessage(sessionId),
      older: Math.max(0, end - entries.length),
      budgetChars: packBudgetChars(await store.contextTokens(cliType)),
    });
  }

  /** Each with its agent: what was inherited came from the agent of the source. */
  async #told(sessionId: SessionId, entries: readonly Entry[]): Promise<ToldEntry[]> {
    const { log } = this.#deps;
    const told: ToldEntry[] = [];
    let row = await log.row(sessionId);
    let agent = this.#agentOf(sessionId);
    let origins = 0;
    for (const entry of entries.toReversed()) {
      while (row?.origin?.entryId === entry.entryId && origins < ORIGINS_MAX) {
        origins += 1;
        agent = this.#agentOf(row.origin.sessionId);
        row = await log.row(row.origin.sessionId);
      }
      told.push({ entry, agent });
    }
    return told.reverse();
  }

  /** Looked up once for all entries of a session: it searches for the agent's program. */
  #agentOf(sessionId: SessionId): string {
    const cliType = cliTypeOf(sessionId);
    return this.#deps.agents.find(cliType)?.name ?? cliType;
  }
}
