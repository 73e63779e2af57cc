import type { Turn } from "../turn/turn.ts";
import { RPC_CODE, RpcError } from "../wire/rpc-error.ts";
import { notice } from "./notice.ts";
import type { ModelSettings } from "./settings.ts";
import { readTrouble, type Trouble } from "./trouble.ts";

const RETRIES_MAX = 5;
const WAIT_MS_MAX = 60_000;

/** The question does not fit into the model's context. Where a summary does not cure it, it ends the turn as an error. */
export class TooLong extends RpcError {
  constructor(words: string, { contextTokens }: ModelSettings) {
    const wayOut = `Start a new session with less text, or set LIMINAL_MODEL_CONTEXT (now ${contextTokens}) to the number of tokens the model holds.`;
    super(RPC_CODE.internal, `${words} The conversation does not fit into the model's context. ${wayOut}`);
  }
}

/** Asks again after trouble that may pass, and says so each time; other trouble ends the turn with a way out. */
export async function withRetries<Value>(
  turn: Turn,
  settings: ModelSettings,
  ask: () => Promise<Value>,
): Promise<Value> {
  for (let tries = 0; ; tries += 1) {
    turn.signal.throwIfAborted();
    try {
      return await ask();
    } catch (error) {
      turn.signal.throwIfAborted();
      const trouble = readTrouble(error, settings, turn.context.world.now());
      if (trouble.isTooLong) throw new TooLong(trouble.words, settings);
      await waitOrGiveUp(turn, settings, trouble, tries);
    }
  }
}

async function waitOrGiveUp(turn: Turn, settings: ModelSettings, trouble: Trouble, tries: number): Promise<void> {
  const { words } = trouble;
  const wayOut = `${trouble.wayOut} Then send your message again.`;
  if (!trouble.mayPass) throw new RpcError(RPC_CODE.internal, `${words} ${wayOut}`);
  if (tries >= RETRIES_MAX) throw new RpcError(RPC_CODE.internal, `${words} I tried ${tries + 1} times. ${wayOut}`);
  const waitMs = trouble.waitMs ?? Math.min(WAIT_MS_MAX, settings.retryMs * 2 ** tries);
  if (waitMs > WAIT_MS_MAX) {
    const minutes = Math.ceil(waitMs / 60_000);
    throw new RpcError(RPC_CODE.internal, `${words} It asks to wait ${minutes} minutes: send your message again then.`);
  }
  const when = waitMs < 1_000 ? "now" : `in ${Math.round(waitMs / 1_000)} s`;
  notice(turn, "warning", `${words} I try again ${when} (${tries + 1} of ${RETRIES_MAX}).`);
  await turn.pause(waitMs);
}
