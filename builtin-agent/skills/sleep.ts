import type { Skill } from "./skill.ts";

const SLEEP_SECONDS_MAX = 86_400;

/** A turn that lasts; a cancel ends it at once. */
export const sleep: Skill = {
  name: "sleep",
  usage: "sleep [seconds]",
  summary: "Waits, for ever without a number; Cancel wakes me.",
  hint: "[seconds]",
  accepts: (argument) => /^(\d+(\.\d+)?)?$/.test(argument),
  async run(turn, argument) {
    if (argument === "") {
      turn.say("Sleeping until you cancel.");
      return turn.pause();
    }
    const seconds = Number(argument);
    if (seconds > SLEEP_SECONDS_MAX) return turn.say(`I sleep at most ${SLEEP_SECONDS_MAX} seconds.`);
    turn.say(`Sleeping for ${seconds} s.`);
    await turn.pause(seconds * 1_000);
    turn.say(" Awake again.");
  },
};
