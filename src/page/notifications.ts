import { effect, type ReadonlySignal, signal } from "@preact/signals";
import { z } from "zod/mini";
import { ignore } from "../lib/ignore.ts";
import type { SessionId } from "../protocol/ids.ts";
import type { SessionRow } from "../protocol/session-schema.ts";
import { readKept, writeKept } from "../ui/kept-json.ts";
import { sessionMark } from "./state/session-mark.ts";
import type { Shell } from "./state/shell.ts";
import { agentOf } from "./state/shell-state.ts";

const LEVEL_KEY = "liminal:notifications";

/** What the browser notifies of while the user is away: nothing, requests that block an agent, or also finished turns. */
export const NotificationLevel = z.enum(["off", "blocked", "all"]);
export type NotificationLevel = z.infer<typeof NotificationLevel>;

const level = signal<NotificationLevel>(readKept(LEVEL_KEY, NotificationLevel, "off"));
export const notificationLevel: ReadonlySignal<NotificationLevel> = level;

export function setNotificationLevel(next: NotificationLevel): void {
  level.value = next;
  writeKept(LEVEL_KEY, next);
}

const SOUND_KEY = "liminal:notification-sound";
const soundOn = signal<boolean>(readKept(SOUND_KEY, z.boolean(), false));
/** Whether a session that waits for the user also makes a sound. */
export const isSoundOn: ReadonlySignal<boolean> = soundOn;

/** Plays it once when it is switched on: the browser allows sound only after a click. */
export function setSoundOn(next: boolean): void {
  soundOn.value = next;
  writeKept(SOUND_KEY, next);
  if (next) playSound();
}

const NOTES_HZ: readonly number[] = [660, 880];
const NOTE_S = 0.16;
const LOUDNESS = 0.12;
let audio: AudioContext | null = null;

/** Two soft notes, generated here: no file is fetched. A browser that allows no sound stays silent. */
function playSound(): void {
  if (!("AudioContext" in globalThis)) return;
  audio ??= new AudioContext();
  const { currentTime, destination } = audio;
  void audio.resume().catch(ignore("the browser allows no sound before the first click"));
  NOTES_HZ.forEach((hz, index) => {
    if (audio === null) return;
    const [tone, volume] = [audio.createOscillator(), audio.createGain()];
    const start = currentTime + index * NOTE_S;
    tone.frequency.value = hz;
    volume.gain.setValueAtTime(0, start);
    volume.gain.linearRampToValueAtTime(LOUDNESS, start + NOTE_S / 8);
    volume.gain.exponentialRampToValueAtTime(0.001, start + NOTE_S * 2);
    tone.connect(volume).connect(destination);
    tone.start(start);
    tone.stop(start + NOTE_S * 2);
  });
}

/** Shows a browser notification for each session that needs the user while the page is not in view. */
export function followNotifications(shell: Shell): void {
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
  // The overview shows all open requests.
  if (shell.page.peek() === "overview") return call !== "finished";
  return shell.tabs.peek().active === id;
}

function show(shell: Shell, { session, call }: SessionCall): void {
  if (!("Notification" in globalThis) || Notification.permission !== "granted") return;
  const agentName = agentOf(shell.server.peek(), session.cliType)?.name ?? session.cliType;
  const { title, body, isLoud } = callWords(call, agentName, session);
  // One per session: several windows show it once, and a newer one replaces it.
  const notification = new Notification(title, {
    body,
    tag: session.id,
    requireInteraction: isLoud,
    // Our own sound replaces the system's.
    silent: !isLoud || isSoundOn.peek(),
  });
  if (isLoud && isSoundOn.peek()) playSound();
  notification.onclick = () => {
    window.focus();
    notification.close();
    shell.open(session.id, { focus: true });
  };
}

/** Why a session needs the user. */
export type Call = "waiting" | "failed" | "finished";

interface SessionCall {
  readonly session: SessionRow;
  readonly call: Call;
}

/** A session needs the user while its news is unread in all windows. */
export function callOf(session: SessionRow | undefined): Call | null {
  if (session?.unread !== true) return null;
  const mark = sessionMark(session);
  if (mark === "waiting" || mark === "failed") return mark;
  if (mark === "limited") return session.pause !== null && session.pause.resumesAt === null ? "waiting" : null;
  return mark === "unread" ? "finished" : null;
}

type Rows = ReadonlyMap<SessionId, SessionRow>;

/** Sessions that need the user now and did not before, or for another reason. New rows are left out. */
export function newCalls(before: Rows, after: Rows): readonly SessionCall[] {
  if (before === after) return [];
  return [...after.values()].flatMap((session) => {
    const call = callOf(session);
    const known = before.get(session.id);
    return call === null || known === undefined || callOf(known) === call ? [] : [{ session, call }];
  });
}

/** Whether the level includes this kind of notification. */
export function isWanted(call: Call, level: NotificationLevel): boolean {
  return level === "all" || (level === "blocked" && call !== "finished");
}

/** The notification's text. A blocked session's notification makes a sound and stays until dismissed. */
export function callWords(call: Call, agentName: string, { title, turn }: Pick<SessionRow, "title" | "turn">) {
  const isLoud = call === "waiting";
  switch (call) {
    case "waiting":
      return { title: `${agentName} is waiting for you`, body: title, isLoud };
    case "failed":
      return { title: `${agentName} failed`, body: `${title}\n${turn.error?.message ?? ""}`.trim(), isLoud };
    case "finished":
      return { title: `${agentName} has finished`, body: title, isLoud };
    default:
      return call satisfies never;
  }
}
