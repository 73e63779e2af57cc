import type { SceneSize } from "./scene/scene.ts";

const SESSIONS_PER_AGENT = 5;
const READERS_MAX = 10;

/** How many agents and readers belong to that many sessions: 20 and 10 to a hundred. */
export function sizeOf(sessions: number): SceneSize {
  const agents = Math.max(1, Math.ceil(sessions / SESSIONS_PER_AGENT));
  return { sessions, agents, readers: Math.min(READERS_MAX, Math.max(2, agents)) };
}
