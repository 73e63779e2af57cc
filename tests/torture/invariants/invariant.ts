import type { Scene } from "../scene/scene.ts";

/** Something that must be true whatever has gone wrong before. Called when nothing is under way. */
export interface Invariant {
  readonly name: string;
  /** What the count in the table is called. */
  readonly breach: "lost" | "duplicate" | "divergent" | "orphan" | "memory" | "other";
  /** How it is broken; nothing when it holds. */
  check(scene: Scene): readonly string[] | Promise<readonly string[]>;
}
