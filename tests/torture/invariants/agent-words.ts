import type { Turn } from "../../../src/protocol/session-parts.ts";
import { type RecordedTurn, readAgentRecords } from "../scene/agent-record.ts";
import type { Scene } from "../scene/scene.ts";
import type { SentMessage } from "../scene/user.ts";
import type { Invariant } from "./invariant.ts";

const NEVER_ASKED: RecordedTurn = { starts: 0, text: "", outputs: new Map(), asks: 0, answers: [], ends: [] };
const SHOWN_CHARS = 120;

/** What is stored of a turn is what the agent wrote down that it said; only an agent that was killed is ahead of it. */
export const agentWords: Invariant = {
  name: "what agents said, by their own record, is stored",
  breach: "lost",
  check: (scene) => judgeAll(scene, lostWords),
};

/** No prompt and no answer reached an agent twice, and no word of it is stored twice. */
export const agentWordsOnce: Invariant = {
  name: "nothing reached an agent twice",
  breach: "duplicate",
  check: (scene) =>
    judgeAll(scene, ({ recorded }) => [
      ...(recorded.starts > 1 ? [`was prompted ${recorded.starts} times`] : []),
      ...(recorded.answers.length > recorded.asks
        ? [`its question was answered ${recorded.answers.length} times`]
        : []),
      ...(recorded.ends.length > 1 ? [`ended ${recorded.ends.length} times`] : []),
    ]),
};

interface Judged {
  readonly sent: SentMessage;
  readonly recorded: RecordedTurn;
  readonly text: string;
  readonly outputs: ReadonlyMap<string, string>;
  readonly turn: Turn | undefined;
  readonly isDisturbed: boolean;
}

function judgeAll(scene: Scene, judge: (turn: Judged) => readonly string[]): readonly string[] {
  const records = readAgentRecords([...scene.agents, scene.farAgent].map((cliType) => scene.recordOf(cliType)));
  const stored = storedTurns(scene);
  return scene.user.sent.flatMap((sent) => {
    const turn = stored.get(sent.commandId);
    if (!turn) return []; // whether it had to be there is for another to say
    const recorded = records.get(sent.turn) ?? NEVER_ASKED;
    const isDisturbed = scene.user.isDisturbed(sent);
    return judge({ sent, recorded, isDisturbed, ...turn }).map(
      (breach) => `${sent.sessionId} turn ${sent.turn} (${sent.content}): ${breach}`,
    );
  });
}

function lostWords({ recorded, text, outputs, turn, isDisturbed, sent }: Judged): readonly string[] {
  const isWhole = recorded.ends.length > 0 && turn?.stopReason === recorded.ends[0];
  if (!isWhole && !isDisturbed) return [`ended as ${JSON.stringify(turn)}, the agent says ${JSON.stringify(recorded)}`];
  const expected = isWhole ? recorded.text : recorded.text.slice(0, text.length);
  const isOdd = sent.verb === "lie"; // its lies may be shown, too: what matters is that its words are there
  if (isOdd ? !text.includes(expected) : text !== expected)
    return [`stored ${shown(text)}, said ${shown(recorded.text)}`];
  const missing = [...recorded.outputs].filter(([id, output]) => isWhole && outputs.get(id) !== output);
  return missing.map(([id, output]) => `${id} is stored as ${shown(outputs.get(id) ?? "")}, was ${shown(output)}`);
}

function shown(text: string): string {
  return `${text.length} characters …${JSON.stringify(text.slice(-SHOWN_CHARS))}`;
}

/** By the command that started it, what is stored of each turn. */
function storedTurns({ follower, sessions }: Scene) {
  const turns = new Map<string, Pick<Judged, "text" | "outputs" | "turn">>();
  for (const sessionId of sessions) {
    const { state, hasGap } = follower.folded(sessionId);
    const entries = state.settled;
    const byTurn = Map.groupBy(entries, ({ turnId }) => turnId ?? "");
    for (const [turnId, own] of byTurn) {
      const said = own.find((entry) => entry.type === "user");
      if (said?.type !== "user" || said.commandId === undefined) continue;
      // How a turn ended stands in its facts alone.
      if (hasGap && !follower.turnEnds.has(turnId)) continue;
      turns.set(said.commandId, {
        text: own.flatMap((entry) => (entry.type === "assistant" ? [entry.content] : [])).join(""),
        outputs: new Map(
          own.flatMap((entry) => (entry.type === "tool-call" ? [[entry.toolCallId, entry.result ?? ""]] : [])),
        ),
        turn: follower.turnEnds.get(turnId),
      });
    }
  }
  return turns;
}
