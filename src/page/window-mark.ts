import { ignore } from "../lib/ignore.ts";
import { waitingSessions } from "./state/attention.ts";
import type { Shell } from "./state/shell.ts";

const APP_NAME = "Liminal Builder";
const BADGE_MAX = 9;
const ARCH =
  "<path fill='none' stroke='#7aa2f7' stroke-width='1.6' stroke-linecap='round' d='M2.75 13.75V7.5a5.25 5.25 0 0 1 10.5 0v6.25M6 13.75V8a2 2 0 0 1 4 0v5.75'/>";

/** Shows the number of waiting sessions in the tab's title and icon. */
export function showWindowMark(shell: Shell): void {
  const state = shell.server.value;
  const waiting = waitingSessions(state).length;
  const shown = shell.shownSession();
  const { value: page } = shell.page;
  const place = page === null ? shown && state.sessions.get(shown)?.title : pageName(page);
  document.title = windowTitle(waiting, place ?? undefined);
  const icon = document.querySelector<HTMLLinkElement>("link[rel=icon]");
  const href = iconHref(waiting);
  if (icon !== null && icon.href !== href) icon.href = href;
  showAppBadge(waiting);
}

function pageName(page: NonNullable<Shell["page"]["value"]>): string {
  if (page === "overview") return "Overview";
  if (page === "usage") return "Usage";
  if (page === "agents") return "Agents";
  return "schedulesOf" in page ? "Schedules" : "groupId" in page ? "Best of N" : "Worktrees";
}

let badge: number | null = null;

/** The number on the icon of an installed app, where the browser has one. */
function showAppBadge(waiting: number): void {
  if (badge === waiting || !("setAppBadge" in navigator)) return;
  badge = waiting;
  const shown = waiting > 0 ? navigator.setAppBadge(waiting) : navigator.clearAppBadge();
  shown.catch(ignore("the tab's title and icon show it, too"));
}

export function windowTitle(waiting: number, place: string | undefined): string {
  return `${waiting > 0 ? `(${waiting}) ` : ""}${place === undefined ? "" : `${place} · `}${APP_NAME}`;
}

/** The icon, with a number on it while sessions are waiting. */
export function iconHref(waiting: number): string {
  const count = waiting > BADGE_MAX ? `${BADGE_MAX}+` : String(waiting);
  const badge = `<circle cx='11' cy='5' r='5' fill='#e5b567'/><text x='11' y='7.6' font-family='sans-serif' font-size='7.5' font-weight='700' text-anchor='middle' fill='#16171f'>${count}</text>`;
  const svg = `<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'>${ARCH}${waiting > 0 ? badge : ""}</svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}
