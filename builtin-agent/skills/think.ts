import { isEmpty, type Skill } from "./skill.ts";

/** Slow enough to be seen, short enough not to bore. */
const THOUGHT_PAUSE_MS = 40;
const THOUGHTS = [
  "The question is what thinking looks like from outside. ",
  "It should arrive in pieces, muted, ",
  "and fold away once the answer is there. ",
  "So I think in a few chunks and then answer.",
];

/** Thought chunks, then an answer. */
export const think: Skill = {
  name: "think",
  usage: "think",
  summary: "Thinks aloud for a moment, then answers.",
  accepts: isEmpty,
  async run(turn) {
    for (const thought of THOUGHTS) {
      turn.think(thought);
      await turn.pause(THOUGHT_PAUSE_MS);
    }
    turn.say("I have thought about it: **thoughts come before the answer**, and you can fold them away.");
    if (turn.isDetailed) turn.say("\n\nThey were sent as `agent_thought_chunk` updates of one message.");
  },
};
