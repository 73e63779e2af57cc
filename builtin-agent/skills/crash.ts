import { isEmpty, type Skill } from "./skill.ts";

const CRASH_EXIT_CODE = 1;

/** The process dies in the middle of a turn; what it said before is sent and stored. */
export const crash: Skill = {
  name: "crash",
  usage: "crash",
  summary: "Ends this agent's process in the middle of a turn.",
  accepts: isEmpty,
  async run(turn) {
    turn.say("Crashing now.");
    await turn.settled();
    turn.context.commands.killAll();
    process.stderr.write("liminal-guide: crashed, as asked\n");
    process.exit(CRASH_EXIT_CODE);
  },
};
