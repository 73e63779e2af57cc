import type { Turn } from "../turn/turn.ts";
import { RPC_CODE, RpcError } from "../wire/rpc-error.ts";
import { isEmpty, type Skill } from "./skill.ts";

const WORDS_MAX = 1_000_000;
const WORDS_PER_SECOND_MAX = 100_000;
/** Roughly what a model sends at once. */
const WORDS_PER_CHUNK = 4;
/** Per batch there is one write, and one check whether the client keeps up. */
const CHUNKS_PER_BATCH = 256;
/** Timers are not finer than this; faster rates send several words per tick. */
const TICK_MS_MIN = 4;
const ARGUMENT = /^(\d+) words?(?: at (\d+(?:\.\d+)?)\/s)?$/i;

/** Numbered words, so that loss and reordering are visible. */
export const stream: Skill = {
  name: "stream",
  usage: "stream <n> words [at <m>/s]",
  summary: "Streams numbered words, as fast as it can or at a steady rate.",
  hint: "<n> words at <m>/s",
  accepts: (argument) => ARGUMENT.test(argument),
  async run(turn, argument) {
    const [, count = "", rate] = ARGUMENT.exec(argument) ?? [];
    const words = Number(count);
    if (words > WORDS_MAX) return turn.say(`I stream at most ${WORDS_MAX} words at a time.`);
    if (rate === undefined) return streamFast(turn, words);
    const perSecond = Number(rate);
    if (perSecond <= 0 || perSecond > WORDS_PER_SECOND_MAX) {
      return turn.say(`I stream at up to ${WORDS_PER_SECOND_MAX} words a second.`);
    }
    await streamSteadily(turn, words, perSecond);
  },
};

async function streamFast(turn: Turn, words: number): Promise<void> {
  let next = 1;
  while (next <= words) {
    const chunks: string[] = [];
    for (; next <= words && chunks.length < CHUNKS_PER_BATCH; next += WORDS_PER_CHUNK) {
      chunks.push(wordsText(next, Math.min(next + WORDS_PER_CHUNK - 1, words), words));
    }
    turn.sayAll(chunks);
    await turn.settled();
    await nextEvents();
  }
}

/** Due times are counted from the start, so the rate does not drift; each word is its own chunk. */
async function streamSteadily(turn: Turn, words: number, perSecond: number): Promise<void> {
  const { now } = turn.context.world;
  const startedAt = now();
  for (let sent = 0; sent < words; ) {
    const due = Math.min(words, Math.floor(((now() - startedAt) * perSecond) / 1_000) + 1);
    if (due > sent)
      turn.sayAll(Array.from({ length: due - sent }, (_, i) => wordsText(sent + i + 1, sent + i + 1, words)));
    sent = Math.max(sent, due);
    await turn.settled();
    const nextAt = startedAt + (sent * 1_000) / perSecond;
    if (sent < words) await turn.pause(Math.max(TICK_MS_MIN, nextAt - now()));
  }
}

function wordsText(first: number, last: number, total: number): string {
  const text = Array.from({ length: last - first + 1 }, (_, index) => `w${first + index}`).join(" ");
  return last < total ? `${text} ` : text;
}

/** Lets a pending cancel on stdin be read between batches. */
function nextEvents(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Slow enough to be visible, short enough not to bore. */
const THOUGHT_PAUSE_MS = 40;
const THOUGHTS = [
  "The question is what thinking looks like from outside. ",
  "It should arrive in pieces, muted, ",
  "and fold away once the answer is there. ",
  "So I think in a few chunks and then answer.",
];

/** Sends thought chunks, then an answer. */
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

const SLEEP_SECONDS_MAX = 86_400;

/** A long turn; a cancel ends it at once. */
export const sleep: Skill = {
  name: "sleep",
  usage: "sleep [seconds]",
  summary: "Waits for a number of seconds, or until you cancel.",
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

const CRASH_EXIT_CODE = 1;

/** Ends the process during a turn; earlier output is sent and stored. */
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

/** Ends a turn with a JSON-RPC error. */
export const fail: Skill = {
  name: "fail",
  usage: "fail",
  summary: "Answers with an error, to see what that looks like.",
  accepts: isEmpty,
  run() {
    throw new RpcError(RPC_CODE.internal, "The guide failed, as you asked.");
  },
};
