import { RareView } from "../rare-view.tsx";
import type { RowMenu, Shell } from "../state/shell.ts";

/** The menu of one row, one project, one card or one tab, in its part of the page. */
export function OpenMenu({ shell, places }: { shell: Shell; places: readonly RowMenu["place"][] }) {
  const menu = shell.rowMenu.value;
  if (menu === null || !places.includes(menu.place)) return null;
  return (
    <RareView shell={shell} show={({ RowActionsMenu }) => <RowActionsMenu key={menu} shell={shell} menu={menu} />} />
  );
}
