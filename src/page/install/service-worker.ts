/**
 * Lets the page open without its server, and shows pushed notices. It keeps the shell and the files of the build, which
 * are the same for everyone and contain no user data. Sessions, frames and other answers of the server are never stored
 * or read here.
 */

/** What these DOM types lack: they describe a page, and this is a worker. */
interface Extendable extends Event {
  waitUntil(task: Promise<unknown>): void;
}
interface Fetching extends Extendable {
  readonly request: Request;
  /** The browser's own request for a page, which it sends while the worker starts. */
  readonly preloadResponse?: Promise<Response | undefined>;
  respondWith(response: Promise<Response>): void;
}
interface Pushed extends Extendable {
  readonly data: { json(): unknown } | null;
}
interface NoticeClicked extends Extendable {
  readonly notification: Notification;
}
interface OpenWindow {
  focus(): Promise<unknown>;
  navigate(url: string): Promise<unknown>;
}
interface WorkerScope {
  addEventListener(type: "install" | "activate", listener: (event: Extendable) => void): void;
  addEventListener(type: "fetch", listener: (event: Fetching) => void): void;
  addEventListener(type: "push", listener: (event: Pushed) => void): void;
  addEventListener(type: "notificationclick", listener: (event: NoticeClicked) => void): void;
  skipWaiting(): Promise<void>;
  readonly clients: {
    claim(): Promise<void>;
    matchAll(options: { type: "window" }): Promise<readonly OpenWindow[]>;
    openWindow(url: string): Promise<unknown>;
  };
  readonly registration: {
    readonly navigationPreload?: { enable(): Promise<void> };
    showNotification(title: string, options: NotificationOptions): Promise<void>;
  };
}

const worker = globalThis as unknown as WorkerScope;
const CACHE = "liminal-shell";
const SHELL = "/";
const ASSETS = "/assets/";

worker.addEventListener("install", (event) => event.waitUntil(worker.skipWaiting()));
worker.addEventListener("activate", (event) =>
  event.waitUntil(Promise.all([worker.registration.navigationPreload?.enable(), worker.clients.claim()])),
);

worker.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname, search } = new URL(request.url);
  if (request.method !== "GET" || origin !== location.origin || search !== "") return;
  if (pathname === SHELL && request.mode === "navigate") event.respondWith(shell(event));
  else if (pathname.startsWith(ASSETS)) event.respondWith(asset(request));
});

/** The server's own answer whenever there is one: it shows a device that it was signed out. */
async function shell({ request, preloadResponse }: Fetching): Promise<Response> {
  const cache = await caches.open(CACHE);
  try {
    const response = (await preloadResponse) ?? (await fetch(request));
    if (response.ok && !response.redirected) await keepShell(cache, response.clone());
    return response;
  } catch (error) {
    const kept = await cache.match(SHELL);
    if (kept) return kept;
    throw error;
  }
}

/** Another shell has other files. */
async function keepShell(cache: Cache, response: Response): Promise<void> {
  const [before, now] = await Promise.all([cache.match(SHELL).then((kept) => kept?.text()), response.clone().text()]);
  if (before === now) return;
  await Promise.all((await cache.keys()).map((kept) => cache.delete(kept)));
  await cache.put(SHELL, response);
}

/** Its name contains a hash of its content: it never changes. */
async function asset(request: Request): Promise<Response> {
  const cache = await caches.open(CACHE);
  const kept = await cache.match(request);
  if (kept) return kept;
  const response = await fetch(request);
  if (response.ok) await cache.put(request, response.clone());
  return response;
}

worker.addEventListener("push", (event) => {
  const { title, body, tag, session } = readNotice(event.data);
  const data = session === "" ? SHELL : `${SHELL}#session=${encodeURIComponent(session)}`;
  event.waitUntil(worker.registration.showNotification(title, { body, tag, data }));
});

worker.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(show(String(event.notification.data ?? SHELL)));
});

/** In the window that is open, or in a new one. */
async function show(address: string): Promise<void> {
  const [open] = await worker.clients.matchAll({ type: "window" });
  if (open === undefined) {
    await worker.clients.openWindow(address);
    return;
  }
  await open.focus();
  await open.navigate(address);
}

function readNotice(data: Pushed["data"]): { title: string; body: string; tag: string; session: string } {
  const notice = parsed(data);
  const fields = typeof notice === "object" && notice !== null ? notice : {};
  const of = (name: string) => {
    const value: unknown = Reflect.get(fields, name);
    return typeof value === "string" ? value : "";
  };
  return { title: of("title") || "Liminal Builder", body: of("body"), tag: of("tag"), session: of("session") };
}

/** Null for what is no JSON: a browser must show something for each push. */
function parsed(data: Pushed["data"]): unknown {
  try {
    return data?.json();
  } catch {
    return null;
  }
}

export {};
