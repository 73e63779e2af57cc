import type { SessionId } from "../../protocol/ids.ts";

/** The sessions in the tab bar, in order, and the active one. */
export interface OpenTabs {
  readonly order: readonly SessionId[];
  readonly active: SessionId | null;
}

export const NO_TABS: OpenTabs = { order: [], active: null };

/** Shows a session: an open one is activated, not opened twice. */
export function openTab(tabs: OpenTabs, id: SessionId): OpenTabs {
  return { order: tabs.order.includes(id) ? tabs.order : [...tabs.order, id], active: id };
}

/** Closing the active one activates the next, else the previous. */
export function closeTab(tabs: OpenTabs, id: SessionId): OpenTabs {
  const at = tabs.order.indexOf(id);
  if (at === -1) return tabs;
  const order = tabs.order.filter((other) => other !== id);
  return { order, active: tabs.active === id ? (order[at] ?? order[at - 1] ?? null) : tabs.active };
}

/** Drops every tab whose session does not exist; the nearest neighbour replaces the active one. */
export function keepTabs(tabs: OpenTabs, exists: (id: SessionId) => boolean): OpenTabs {
  return tabs.order.filter((id) => !exists(id)).reduce(closeTab, tabs);
}

/** Moves a tab to a position counted without it. */
export function moveTab(tabs: OpenTabs, id: SessionId, to: number): OpenTabs {
  if (!tabs.order.includes(id)) return tabs;
  const others = tabs.order.filter((other) => other !== id);
  return { ...tabs, order: others.toSpliced(Math.max(0, Math.min(to, others.length)), 0, id) };
}

/** The tab that many steps away, wrapping around the ends. */
export function tabBeside(tabs: OpenTabs, steps: number): SessionId | null {
  const at = tabs.active === null ? -1 : tabs.order.indexOf(tabs.active);
  return at === -1 ? null : (tabs.order[(at + steps + tabs.order.length) % tabs.order.length] ?? null);
}
