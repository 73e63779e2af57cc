import type { SessionId } from "../../protocol/ids.ts";
import type { Shell } from "./shell.ts";
import { COLUMN_PX_MIN, COLUMNS_MAX } from "./split-view.ts";

/** There is room for one more column, and something to stand beside. */
export function canOpenBeside(shell: Shell): boolean {
  const columns = Math.max(1, shell.split.value.columns.length);
  const room = Math.min(COLUMNS_MAX, Math.floor(shell.stagePx.value / COLUMN_PX_MIN));
  return shell.tabs.value.order.length > 0 && columns < room;
}

/** The next open session that is not in view yet, around the end of the tabs. */
export function nextBeside(shell: Shell): SessionId | null {
  const { order, active } = shell.tabs.peek();
  const { columns } = shell.split.peek();
  const at = active === null ? 0 : order.indexOf(active);
  const others = [...order.slice(at + 1), ...order.slice(0, at)];
  return others.find((id) => !columns.includes(id)) ?? null;
}
