import { z } from "zod/mini";
import { SessionId } from "../../protocol/ids.ts";
import type { OpenTabs } from "./open-tabs.ts";
import { COLUMNS_MAX, NO_SPLIT, type SplitView } from "./split-view.ts";

export const TABS_KEY = "liminal:tabs";

/** The tabs in the browser's storage. */
export const KeptTabs = z.object({
  openTabs: z.array(SessionId),
  activeTab: z.nullable(SessionId),
  tabOrder: z.array(SessionId),
});
type KeptTabs = z.infer<typeof KeptTabs>;

export function keptFromTabs({ order, active }: OpenTabs): KeptTabs {
  return { openTabs: [...order], activeTab: active, tabOrder: [...order] };
}

/** In the stored order; tabs that the order does not name come last, and those that are not open are dropped. */
export function tabsFromKept({ openTabs, activeTab, tabOrder }: KeptTabs): OpenTabs {
  const open = new Set(openTabs);
  const order = [...new Set([...tabOrder.filter((id) => open.has(id)), ...openTabs])];
  const active = activeTab !== null && open.has(activeTab) ? activeTab : (order[0] ?? null);
  return { order, active };
}

export const SPLIT_KEY = "liminal:split";

/** The columns in the browser's storage, beside the tabs. */
export const KeptSplit = z.object({
  columns: z.array(SessionId).check(z.maxLength(COLUMNS_MAX)),
  shares: z.array(z.number().check(z.gt(0), z.lte(1))),
});
type KeptSplit = z.infer<typeof KeptSplit>;

/** Only columns that match the tabs are used: of open sessions, including the active one. */
export function splitFromKept({ columns, shares }: KeptSplit, { order, active }: OpenTabs): SplitView {
  const whole = shares.reduce((sum, share) => sum + share, 0);
  const fits =
    columns.length > 1 &&
    columns.length === shares.length &&
    new Set(columns).size === columns.length &&
    columns.every((id) => order.includes(id)) &&
    active !== null &&
    columns.includes(active);
  return fits ? { columns, shares: shares.map((share) => share / whole) } : NO_SPLIT;
}
