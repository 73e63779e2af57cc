import { effect } from "@preact/signals";
import { notificationLevel } from "../notification-level.ts";
import type { Shell } from "../state/shell.ts";
import { agentOf } from "../state/shell-state.ts";
import { callWords, isWanted, newCalls, type SessionCall } from "./session-calls.ts";

/** Tells of sessions that call while the user looks elsewhere, for as long as the page lives. */
export function showCalls(shell: Shell): void {
  let before = shell.server.peek().sessions;
  effect(() => {
    const { sessions } = shell.server.value;
    const calls = newCalls(before, sessions);
    before = sessions;
    for (const call of calls)
      if (isWanted(call.call, notificationLevel.peek()) && !isInView(shell, call)) show(shell, call);
  });
}

function isInView(shell: Shell, { session: { id }, call }: SessionCall): boolean {
  if (document.visibilityState !== "visible" || !document.hasFocus()) return false;
  // The overview shows whatever waits.
  if (shell.page.peek() === "overview") return call !== "finished";
  return shell.tabs.peek().active === id;
}

function show(shell: Shell, { session, call }: SessionCall): void {
  if (!("Notification" in globalThis) || Notification.permission !== "granted") return;
  const agentName = agentOf(shell.server.peek(), session.cliType)?.name ?? session.cliType;
  const { title, body, isLoud } = callWords(call, agentName, session);
  // One per session: windows side by side show it once, and what is newer takes its place.
  const notification = new Notification(title, {
    body,
    tag: session.id,
    requireInteraction: isLoud,
    silent: !isLoud,
  });
  notification.onclick = () => {
    window.focus();
    notification.close();
    shell.open(session.id, { focus: true });
  };
}
