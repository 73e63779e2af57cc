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

/** What the agent is, else what will happen; a ready one may have something to say. */
export function noteOf({ availability, message, status, id, description, installedVersion }: AgentInfo): string {
  switch (availability) {
    case "ready":
      if (message !== undefined) return message;
      if (id === "builtin" && description !== undefined) return description;
      if (status === "connected") return "Running";
      return joined(installedVersion, description) || "Starts with the session";
    case "needs-install":
      return description ?? "Install it to use it here";
    case "needs-sign-in":
      return description ?? "Sign in to use it here";
    case "failed":
      return message ?? "It could not be started";
    default:
      return availability satisfies never;
  }
}

function joined(...parts: readonly (string | undefined)[]): string {
  return parts.filter(Boolean).join(" · ");
}
