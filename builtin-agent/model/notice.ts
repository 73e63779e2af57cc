import type { Turn } from "../turn/turn.ts";

/** A line of the agent's own in the transcript: a notice where the client knows them, else words apart. */
export function notice(turn: Turn, severity: "info" | "warning", title: string): void {
  if (turn.context.client.capabilities.notices) turn.transient({ sessionUpdate: "notice", severity, title });
  else turn.say(`\n\n> ${title}\n\n`);
}
