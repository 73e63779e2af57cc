import { effect } from "@preact/signals";
import { notificationLevel } from "./notification-level.ts";
import type { Shell } from "./state/shell.ts";

/** What tells is fetched by those who want to be told. */
export function followNotifications(shell: Shell): void {
  const stop = effect(() => {
    if (notificationLevel.value === "off") return;
    queueMicrotask(() => stop());
    import("./notifications/show-calls.ts").then(
      ({ showCalls }) => showCalls(shell),
      () => shell.tell("Notifications could not be loaded. Reload the page to have them."),
    );
  });
}
