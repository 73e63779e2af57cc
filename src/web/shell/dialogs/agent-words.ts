import type { AgentInfo } from "../../../protocol/server-messages.ts";

/** What the server says about the agent, else what it is, else what will happen. */
export function noteOf({ availability, message, status, id, description, version, installedVersion }: AgentInfo): string {
  if (message !== undefined) return message;
  const about = [installedVersion ?? (availability === "ready" ? undefined : version), description];
  switch (availability) {
    case "ready":
      if (id === "builtin") return "Works right now, without an account";
      if (status === "connected") return "Running";
      return about.filter(Boolean).join(" · ") || "Starts with the session";
    case "needs-install":
      return about.filter(Boolean).join(" · ") || "Install it to use it here";
    case "needs-sign-in":
      return "Sign in to use it here";
    default:
      return availability satisfies never;
  }
}
