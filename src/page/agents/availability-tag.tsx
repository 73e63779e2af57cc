import type { AgentInfo } from "../../protocol/server-messages.ts";

const AVAILABILITY: Readonly<Record<AgentInfo["availability"], { readonly tag: string; readonly words: string }>> = {
  ready: { tag: "tag ok", words: "Ready" },
  "needs-install": { tag: "tag", words: "Not installed" },
  failed: { tag: "tag error", words: "Not working" },
  "needs-sign-in": { tag: "tag warn", words: "Needs sign-in" },
};

/** Where an agent stands, in one word. */
export function AvailabilityTag({ agent }: { agent: AgentInfo }) {
  const { tag, words } = AVAILABILITY[agent.availability];
  return <span class={tag}>{words}</span>;
}
