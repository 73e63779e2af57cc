import { effect, signal } from "@preact/signals";
import { z } from "zod/mini";
import { readKept, writeKept } from "../../ui/kept-json.ts";

const SIDEBAR_KEY = "liminal:sidebar";
export const SIDEBAR_PX_MIN = 240;
export const SIDEBAR_PX_MAX = 360;
const SIDEBAR_PX_DEFAULT = 288;
const SIDEBAR_VW_MAX = 36;
/** A browser's own size of text. */
const ROOT_PX = 16;

const SidebarLayout = z.object({
  width: z.number().check(z.minimum(SIDEBAR_PX_MIN), z.maximum(SIDEBAR_PX_MAX)),
  hidden: z.boolean(),
});
type SidebarLayout = z.infer<typeof SidebarLayout>;

/** How wide the sidebar is, and whether it is there at all; kept over visits. Narrow windows have a drawer instead. */
export const sidebarLayout = signal<SidebarLayout>(
  readKept(SIDEBAR_KEY, SidebarLayout, { width: SIDEBAR_PX_DEFAULT, hidden: false }),
);

export function resizeSidebar(px: number): void {
  const width = Math.max(SIDEBAR_PX_MIN, Math.min(SIDEBAR_PX_MAX, Math.round(px)));
  sidebarLayout.value = { ...sidebarLayout.peek(), width };
}

export function hideSidebar(hidden: boolean): void {
  sidebarLayout.value = { ...sidebarLayout.peek(), hidden };
}

/** Shows the layout and keeps every change of it. */
export function followSidebarLayout(): void {
  effect(() => {
    const { width, hidden } = sidebarLayout.value;
    // Larger text needs more room, as far as the window has it.
    const scaled = `min(${width / ROOT_PX}rem, ${SIDEBAR_VW_MAX}vw)`;
    document.documentElement.style.setProperty("--sidebar", `max(${width}px, ${scaled})`);
    document.body.toggleAttribute("data-sidebar-hidden", hidden);
    writeKept(SIDEBAR_KEY, sidebarLayout.value);
  });
}

/** Below this the sidebar is a drawer; the stylesheets use the same line. */
export const WIDE_QUERY = "(width >= 800px)";

/** A narrow touch screen; the stylesheets use the same query. */
export const PHONE_QUERY = "(width < 560px) and (pointer: coarse)";

export function isNarrow(): boolean {
  return !matchMedia(WIDE_QUERY).matches;
}
