import { closeSync, openSync, readSync, statSync, truncateSync, writeSync } from "node:fs";
import type { SeededRandom } from "../../support/seeded-random.ts";
import { killQuietly } from "./cut-off.ts";
import { doneTo, type Fault } from "./fault.ts";
import { type HeldAgent, pickHeld } from "./held-agent.ts";

const TORN_BYTES_MAX = 60;

/** Server and holder are killed, and the last record is only half on the disk. */
export const journalTorn: Fault = damaging("journal-torn", true, ({ journal }, random) => {
  const last = journal.at(-1);
  if (last === undefined) return false;
  const { size } = statSync(last);
  truncateSync(last, Math.max(0, size - random.between(1, TORN_BYTES_MAX)));
  return size > 0;
});

/** Server and holder are killed, and a byte in the middle of the journal is not what it was. */
export const journalCorrupt: Fault = damaging("journal-corrupt", true, flipByte);

/** The same while the holder lives: it hands on what it cannot know to be wrong. */
export const journalCorruptLive: Fault = damaging("journal-corrupt-live", false, flipByte);

function damaging(
  name: string,
  isHolderKilled: boolean,
  damage: (held: HeldAgent, random: SeededRandom) => boolean,
): Fault {
  return {
    name,
    async inject(world) {
      const { server, user } = world.scene;
      await server.kill();
      const held = pickHeld(world);
      if (held) {
        user.disturb(held.cliType);
        if (isHolderKilled) killQuietly(held.holderPid);
      }
      const isDamaged = held !== null && damage(held, world.random);
      await server.start();
      return isDamaged ? doneTo(held.cliType) : { skipped: "no agent had a journal at that moment" };
    },
  };
}

function flipByte({ journal }: HeldAgent, random: SeededRandom): boolean {
  if (journal.length === 0) return false;
  const path = random.pick(journal);
  const { size } = statSync(path);
  if (size === 0) return false;
  const file = openSync(path, "r+");
  const byte = new Uint8Array(1);
  const place = random.between(0, size - 1);
  readSync(file, byte, 0, 1, place);
  writeSync(file, Uint8Array.of((byte[0] ?? 0) ^ 0x55), 0, 1, place);
  closeSync(file);
  return true;
}
