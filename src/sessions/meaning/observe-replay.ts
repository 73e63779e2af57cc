import type { AgentEvent } from "../../ports/agents.ts";
import { type Entry, isTextEntry } from "../../protocol/entry.ts";
import type { FactBody } from "../../protocol/facts.ts";
import { EntryId, TurnId } from "../../protocol/ids.ts";
import { reduceSession } from "../../protocol/reduce-session.ts";
import { EMPTY_SESSION, isTurnActive, type SessionState } from "../../protocol/session-state.ts";
import { compareReplay, type HeardTurn, isUser } from "./compare-replay.ts";
import { endTurn } from "./end-turn.ts";
import type { Outcome, Scene } from "./scene.ts";

type Replayed = Extract<AgentEvent, { type: "replayed" }>;
type Observe = (scene: Scene, event: AgentEvent) => Outcome;

/**
 * What the agent remembers is ours already, and nothing of it is shown again. Turns that came after ours, because the
 * user went on elsewhere, are taken over; where the agent knows less or something else, ours stays and a notice says so.
 */
export function observeReplay(scene: Scene, { events, whole }: Replayed, observe: Observe): FactBody[] {
  const said = scene.said();
  const { news, forgotten, differs } = compareReplay(said, events, whole);
  const known = new Set(said.filter(({ type }) => type === "notice").map(({ content }) => content));
  const notices = [forgotten > 0 ? forgottenWords(forgotten) : null, differs ? DIFFERS : null]
    .filter((content) => content !== null)
    .filter((content) => !known.has(content));
  const before = openedBy(scene.state);
  const place = before ? { before: before.entryId } : {};
  return [
    ...news.flatMap((turn) => adopt(scene, turn, observe)).flatMap((entry) => entryFacts(entry, place)),
    ...notices.slice(0, 1).map((content): FactBody => ({ type: "session:update", entry: notice(scene, content) })),
  ];
}

const DIFFERS =
  "The agent remembers this conversation differently. What is shown here stays as it was said; tell the agent what it needs to know.";

function forgottenWords(count: number): string {
  return `The agent itself does not remember ${count} of your messages here. Repeat what it needs to know.`;
}

/** The message that is waiting for this very agent: what was said before it stands before it. */
function openedBy({ turn, open }: SessionState): Entry | undefined {
  return isTurnActive(turn) ? open.find(({ turnId }) => turnId === turn.turnId) : undefined;
}

function entryFacts(entry: Entry, place: { before?: EntryId }): FactBody[] {
  const update: FactBody = { type: "session:update", entry, ...place };
  return isTextEntry(entry) ? [update, { type: "session:complete", entryId: entry.entryId }] : [update];
}

/** Played through as the turn it was, apart from this session's own state, so that every rule for live words holds. */
function adopt(scene: Scene, turn: HeardTurn, observe: Observe): readonly Entry[] {
  const turnId = TurnId.parse(scene.newId());
  let state: SessionState = { ...EMPTY_SESSION, turn: { state: "running", turnId, startedAt: scene.now } };
  const fold = (facts: readonly FactBody[]) => {
    for (const fact of facts) state = reduceSession(state, { ...fact, seq: state.seq + 1 });
  };
  const apart = (): Scene => ({ ...scene, state, cancelling: null, lastSettled: null, settledByAgentId: () => null });
  const asked = userEntry(scene, turn, turnId);
  fold([{ type: "session:update", entry: asked }]);
  for (const event of turn.events) if (!isUser(event)) fold(observe(apart(), event).facts);
  fold(endTurn(apart(), "end_turn").facts);
  return state.settled;
}

function userEntry(scene: Scene, { events }: HeardTurn, turnId: TurnId): Entry {
  const said = events.filter(isUser);
  const content = said.map((event) => (event.type === "text" ? event.text : "")).join("");
  const attachments = said.flatMap((event) => (event.type === "part" ? [event.part] : []));
  return {
    type: "user",
    entryId: EntryId.parse(scene.newId()),
    turnId,
    content,
    ...(attachments.length > 0 && { attachments }),
    timestamp: scene.now,
  };
}

function notice(scene: Scene, content: string): Entry {
  const { turn } = scene.state;
  const turnId = isTurnActive(turn) ? turn.turnId : undefined;
  return {
    type: "notice",
    entryId: EntryId.parse(scene.newId()),
    ...(turnId && { turnId }),
    severity: "info",
    content,
    timestamp: scene.now,
  };
}
