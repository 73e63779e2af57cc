import type { Turn } from "../turn/turn.ts";
import type { Skill } from "./skill.ts";

const WORDS_MAX = 1_000_000;
const WORDS_PER_SECOND_MAX = 100_000;
/** About what a model sends at once. */
const WORDS_PER_CHUNK = 4;
/** One write, and one look at whether the client keeps up. */
const CHUNKS_PER_BATCH = 256;
/** Timers are not finer than this; faster rates send several words per tick. */
const TICK_MS_MIN = 4;
const ARGUMENT = /^(\d+) words?(?: at (\d+(?:\.\d+)?)\/s)?$/i;

/** Numbered words, so that loss and reordering show. */
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

/** Due times are counted from the start, so the rate does not drift; each word is a chunk of its own. */
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

/** Lets a cancel that waits on stdin be read between batches. */
function nextEvents(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
