import "../ui/zod-jitless.ts";
import { effect, signal } from "@preact/signals";
import { render } from "preact";
import type { ClientWorld } from "../client/connection.ts";
import { Connection } from "../client/connection.ts";
import { ignore } from "../lib/ignore.ts";
import { SessionId } from "../protocol/ids.ts";
import { guardClicks } from "../ui/guard-clicks.ts";
import { pressedKey } from "../ui/keys/chords.ts";
import { type KeyPress, shellShortcut } from "../ui/keys/shell-shortcut.ts";
import { App } from "./app.tsx";
import { registerWorker } from "./install/register-worker.ts";
import { followNotifications } from "./notifications.ts";
import { askServer, openOwnSocket, takePageKey } from "./own-server.ts";
import { runPortlets } from "./portlets/run-portlets.ts";
import { loadRareViews } from "./rare-view.tsx";
import { runInSession, runShortcut } from "./run-shortcut.ts";
import { followSidebarLayout, PHONE_QUERY, WIDE_QUERY } from "./sidebar/sidebar-layout.ts";
import { bufferForComposer } from "./state/composer-buffer.ts";
import { typeOnFirstPage } from "./state/first-page-typing.ts";
import { Shell } from "./state/shell.ts";
import { isComplete } from "./state/shell-state.ts";
import { showWindowMark } from "./window-mark.ts";

const AGE_REFRESH_MS = 60_000;
const IDLE_FALLBACK_MS = 200;
const UNAUTHORIZED = 401;

const ID_BYTES = 16;

const hexOf = (byte: number): string => byte.toString(16).padStart(2, "0");

/** The browser as the client's environment. */
const browserWorld: ClientWorld = {
  openSocket: openOwnSocket,
  now: () => Date.now(),
  after: (ms, call) => {
    const timer = setTimeout(call, ms);
    return () => clearTimeout(timer);
  },
  random: () => Math.random(),
  // Not randomUUID: that exists on secure origins only, and the app may be opened by a plain address.
  newId: () => Array.from(crypto.getRandomValues(new Uint8Array(ID_BYTES)), hexOf).join(""),
  probe: async () => {
    if (document.visibilityState === "hidden") return false;
    return (await fetch("/healthz", { cache: "no-store" })).ok;
  },
};

guardClicks(document);
await takePageKey();
let wasOpen = false;
const shell: Shell = new Shell((request) => connection.request(request), Date.now());
const connection = new Connection({
  url: `${location.origin.replace(/^http/, "ws")}/ws`,
  world: browserWorld,
  onPhase: (phase) => {
    shell.phase.value = phase;
    if (phase.phase === "open") {
      wasOpen = true;
      shell.signedOut.value = false;
    }
    if (phase.phase === "waiting-to-retry" && phase.failedTries > (wasOpen ? 1 : 0)) void noticeSignedOut(shell);
  },
  onSilence: (isSilent) => {
    shell.isServerSilent.value = isSilent;
  },
  onMessage: (message) => shell.receive(message),
  onTerminalOutput: (output) => shell.receiveOutput(output),
});

/**
 * A refused socket looks the same for a missing sign-in and for a server that is down; an HTTP request distinguishes
 * them. A
 * page that was never connected has nothing to show and goes to the sign-in page.
 */
async function noticeSignedOut(of: Shell): Promise<void> {
  const answer = await askServer("/api/status").catch(() => null);
  const isSignedOut = answer?.status === UNAUTHORIZED;
  of.signedOut.value = isSignedOut;
  if (isSignedOut && !wasOpen) location.replace("/sign-in");
}

const wake = () => {
  if (document.visibilityState === "visible") connection.wake();
};
document.addEventListener("visibilitychange", wake);
addEventListener("hashchange", () => openLinkedSession(shell));
addEventListener("online", wake);
addEventListener("pageshow", wake);
matchMedia(WIDE_QUERY).addEventListener("change", () => {
  shell.drawerOpen.value = false;
});
setInterval(() => {
  shell.nowMs.value = Date.now();
}, AGE_REFRESH_MS);

const pressed = (press: KeyPress): boolean => {
  if (shell.dialog.peek().kind !== "none") return false;
  const shortcut = shellShortcut(press);
  return shortcut !== null && runShortcut(shell, shortcut);
};
const isField = (target: EventTarget | null) =>
  target instanceof Element && target.matches("input, textarea, select, [contenteditable]");
const pressOf = (event: KeyboardEvent): KeyPress => {
  const { ctrlKey: ctrl, metaKey: meta, shiftKey: shift, altKey: alt, target } = event;
  return { key: pressedKey(event), code: event.code, modifiers: { ctrl, meta, shift, alt }, typing: isField(target) };
};
addEventListener(
  "keydown",
  (event) => {
    const isBuffered = bufferForComposer(shell, event, isField(event.target));
    const typed = isBuffered ? "held" : typeOnFirstPage(shell, event, pressOf(event), pressed);
    if (typed === null) return;
    // Before any focused element handles it: a list would search for the letter.
    event.stopImmediatePropagation();
    if (typed === "held") event.preventDefault();
  },
  { capture: true },
);
addEventListener("keydown", (event) => {
  const { key, target } = event;
  const press = pressOf(event);
  const isFree = shell.dialog.peek().kind === "none" && !event.defaultPrevented;
  const hasFocus = target !== document.body;
  if (pressed(press) || (isFree && runInSession(shell, press, hasFocus))) event.preventDefault();
  else if (key === "Escape" && shell.dialog.peek().kind === "none") shell.drawerOpen.value = false;
});

effect(() => showWindowMark(shell));

const inView = signal(document.visibilityState === "visible");
document.addEventListener("visibilitychange", () => {
  inView.value = document.visibilityState === "visible";
});
effect(() => {
  // Sessions that the server does not list are not reported.
  const { sessions } = shell.server.value;
  const shown = shell.shown.value.flatMap(({ id }) => (sessions.has(id) ? id : []));
  shell.seen.show(inView.value ? shown : []);
});

const whenIdle = (call: () => void) => {
  if ("requestIdleCallback" in globalThis) requestIdleCallback(call);
  else setTimeout(call, IDLE_FALLBACK_MS);
};
const onPortletsPlace = (container: Element) =>
  runPortlets({
    container,
    origin: location.origin,
    shell,
    connection,
    onKey: pressed,
    whenIdle,
    afterRender: (call) => requestAnimationFrame(call),
  });

followSidebarLayout();
if (matchMedia(PHONE_QUERY).matches && !location.hash.includes("session=")) startOnInbox(shell);
openLinkedSession(shell);
render(
  <App
    shell={shell}
    now={Date.now}
    onRetry={() => connection.wake()}
    onReload={() => location.reload()}
    onPortletsPlace={onPortletsPlace}
  />,
  document.body,
);
whenIdle(registerWorker);
whenIdle(() => void loadRareViews().catch(ignore("it is fetched again when a view is opened")));
followNotifications(shell);

/** On a phone the user most likely wants to answer a request; before the first session, to start one. */
function startOnInbox(shell: Shell): void {
  shell.page.value = "overview";
  let isDecided = false;
  effect(() => {
    if (isDecided || !isComplete(shell.server.value)) return;
    isDecided = true;
    if (shell.server.peek().sessions.size === 0 && shell.page.peek() === "overview") shell.page.value = null;
  });
}

/** Opens the session that the address names (`liminal open <session>`), and removes it from the address. */
function openLinkedSession(shell: Shell): void {
  const session = new URLSearchParams(location.hash.slice(1)).get("session");
  if (session === null) return;
  const named = SessionId.safeParse(session);
  history.replaceState(null, "", location.pathname);
  if (named.success) shell.open(named.data, { focus: true });
}
