import { cpuMs } from "../../../bench/measure/process-cost.ts";
import { isTurnActive } from "../../../src/protocol/session-schema.ts";
import type { Scene } from "../scene/scene.ts";
import { pssBytes } from "./server-memory.ts";

/** A pace that real agents have: ten pieces of text a second. */
const EVERY_MS = 100;
const MEASURED_MS = 10_000;
/** Enough for the slowest start of all agents, and for the time that is measured. */
const PIECES = 400;
/** Back within this share of what it was. */
const GROWTH_MAX = 0.2;

interface Cost {
  /** Of server and holders, in milliseconds of computing per second. */
  readonly cpuMs: number;
  /** Of server and holders together. */
  readonly bytes: number;
  /** What readers were given in a second: on a busy machine agents stream more slowly than they were asked to. */
  readonly factsPerSecond: number;
}

export interface LoadReport {
  readonly sessions: number;
  readonly one: Cost;
  readonly all: Cost;
  readonly before: number;
  readonly after: number;
  readonly heapBefore: number;
  readonly heapAfter: number;
  readonly breaches: readonly string[];
}

/** What a streaming session costs alone and among all the others, and whether memory comes back afterwards. */
export async function measureLoad(scene: Scene, measuredMs = MEASURED_MS): Promise<LoadReport> {
  const one = await streaming(scene, measuredMs);
  await scene.createAll();
  // Once through, so that what is kept for every session is there before it is measured.
  await streaming(scene, measuredMs / 10);
  const before = await collected(scene);
  const all = await streaming(scene, measuredMs);
  const after = await collected(scene);
  const grown = after.bytes / before.bytes - 1;
  const breaches =
    grown > GROWTH_MAX ? [`the server had ${before.bytes} bytes before the load and ${after.bytes} after it`] : [];
  return {
    ...{ sessions: scene.sessions.length, one, all, breaches },
    ...{ before: before.bytes, after: after.bytes, heapBefore: before.heapBytes, heapAfter: after.heapBytes },
  };
}

async function streaming(scene: Scene, measuredMs: number): Promise<Cost> {
  const { user, sessions } = scene;
  for (const sessionId of sessions) user.send(sessionId, "say", PIECES, EVERY_MS);
  await must(scene, () => {
    const silent = sessions.find((id) => user.reader.state(id).open.length < 2);
    return silent === undefined ? null : `${silent} says nothing`;
  });
  const from = { ms: performance.now(), cpu: cpuOf(scene), facts: scene.witness.count };
  await Bun.sleep(measuredMs);
  const seconds = (performance.now() - from.ms) / 1_000;
  const spent = (cpuOf(scene) - from.cpu) / seconds;
  const factsPerSecond = (scene.witness.count - from.facts) / seconds;
  const bytes = ownPids(scene).reduce((sum, pid) => sum + pssBytes(pid), 0);
  for (const sessionId of sessions) if (isTurnActive(user.reader.state(sessionId).turn)) user.cancel(sessionId);
  await must(scene, () => user.unsettled(sessions));
  return { cpuMs: spent, bytes, factsPerSecond };
}

async function must(scene: Scene, obstacle: () => string | null): Promise<void> {
  const left = await scene.until(obstacle);
  if (left !== null) throw new Error(`the load does not go on: ${left}`);
}

function ownPids(scene: Scene): readonly number[] {
  return [scene.server.pid, ...scene.holderPids()];
}

function cpuOf(scene: Scene): number {
  return ownPids(scene).reduce((sum, pid) => sum + cpuMs(pid), 0);
}

async function collected({ server }: Scene): Promise<{ bytes: number; heapBytes: number }> {
  await server.seam.collect();
  const { heapBytes } = await server.seam.collect();
  return { bytes: pssBytes(server.pid), heapBytes };
}
