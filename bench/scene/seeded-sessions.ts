import { SeedStore } from "./seed-store.ts";
import { type SeededSession, seedTranscript } from "./seed-transcript.ts";

export const SIZES = [20, 2_000, 20_000] as const;
export type Size = (typeof SIZES)[number];
export type SeededSessions = Readonly<Record<Size, readonly SeededSession[]>>;

/** Fills the store of a server that is not running with sessions of every size. */
export function seedSessions(dataDir: string, perSize: number): SeededSessions {
  using store = SeedStore.of(dataDir);
  store.addProject(dataDir);
  const ofSize = (size: Size) =>
    Array.from({ length: perSize }, (_, index) => seedTranscript(store, `${size} entries ${index + 1}`, dataDir, size));
  return { 20: ofSize(20), 2000: ofSize(2_000), 20000: ofSize(20_000) };
}
