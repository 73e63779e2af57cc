import { z } from "zod/mini";
import { SessionId } from "../../protocol/ids.ts";
import type { OpenTabs } from "./open-tabs.ts";

export const TABS_KEY = "liminal:tabs";

/** How the tabs stand in the browser's storage. */
export const KeptTabs = z.object({
  openTabs: z.array(SessionId),
  activeTab: z.nullable(SessionId),
  tabOrder: z.array(SessionId),
});
type KeptTabs = z.infer<typeof KeptTabs>;

export function keptFromTabs({ order, active }: OpenTabs): KeptTabs {
  return { openTabs: [...order], activeTab: active, tabOrder: [...order] };
}

/** In the kept order; what the order does not name comes last, what is not open is left out. */
export function tabsFromKept({ openTabs, activeTab, tabOrder }: KeptTabs): OpenTabs {
  const open = new Set(openTabs);
  const order = [...new Set([...tabOrder.filter((id) => open.has(id)), ...openTabs])];
  const active = activeTab !== null && open.has(activeTab) ? activeTab : (order[0] ?? null);
  return { order, active };
}
