import { type ReadonlySignal, signal } from "@preact/signals";
import { z } from "zod/mini";
import { readKept, writeKept } from "../ui/kept-json.ts";

const LEVEL_KEY = "liminal:notifications";

/** Of what the browser tells while the user is elsewhere: nothing, what blocks an agent, or its end too. */
export const NotificationLevel = z.enum(["off", "blocked", "all"]);
export type NotificationLevel = z.infer<typeof NotificationLevel>;

const level = signal<NotificationLevel>(readKept(LEVEL_KEY, NotificationLevel, "off"));
export const notificationLevel: ReadonlySignal<NotificationLevel> = level;

export function setNotificationLevel(next: NotificationLevel): void {
  level.value = next;
  writeKept(LEVEL_KEY, next);
}
