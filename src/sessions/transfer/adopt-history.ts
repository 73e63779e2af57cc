import type { HistorySink, ListedSession } from "../../ports/agent-history.ts";
import type { Adoption } from "../../ports/transfer-store.ts";
import { isoTime, type World } from "../../ports/world.ts";
import { type CliType, type ProjectId, SessionId } from "../../protocol/ids.ts";
import { newSessionRow } from "../../protocol/session-schema.ts";
import { ScratchTranscript } from "./scratch-transcript.ts";

interface AdoptionContext {
  readonly world: World;
  readonly cliType: CliType;
  readonly projectId: ProjectId;
  readonly agentName: string;
}

/** Creates a session from an agent's: `begin` returns a receiver for its events, `end` returns the result. */
export function adoptHistory({ world, cliType, projectId, agentName }: AdoptionContext, listed: ListedSession) {
  const { agentSessionId, cwd, title, updatedAt } = listed;
  const now = isoTime(world);
  const time = updatedAt ?? now;
  const newScratch = () => {
    const scratch = new ScratchTranscript({ newId: world.newId, time });
    if (title !== null) scratch.add({ type: "title", title }, null);
    return scratch;
  };
  let scratch = newScratch();
  const begin = (): HistorySink => {
    scratch = newScratch();
    const own = scratch;
    return (event, at) => own.add(event, at);
  };
  const end = (brings: "words" | "memory"): Adoption => {
    if (scratch.isEmpty) scratch.add(silentNotice(agentName, brings), null);
    const { state, entries } = scratch.end();
    const first = entries[0];
    const createdAt = first && "timestamp" in first ? earlier(first.timestamp ?? time, time) : time;
    return {
      row: newSessionRow({
        id: SessionId.parse(`${cliType}:${world.newId()}`),
        projectId,
        cliType,
        title: state.title,
        createdAt,
        lastActiveAt: time,
        turn: state.turn,
      }),
      binding: { agentSessionId, createdAt, cwd, state: "idle", since: now, adopted: true },
      state,
      entries,
      digest: null,
    };
  };
  return { begin, end };
}

/** A notice for a session whose agent continues it but replays nothing. */
export function silentNotice(agentName: string, brings: "words" | "memory") {
  const why = brings === "memory" ? "cannot replay the earlier transcript" : "replayed no earlier transcript";
  const content = `${agentName} ${why}. Your next message continues from its own memory.`;
  return { type: "notice", severity: "info", content } as const;
}

function earlier(one: string, other: string): string {
  return one < other ? one : other;
}
