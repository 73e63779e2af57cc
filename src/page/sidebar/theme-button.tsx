import { Icon } from "../../ui/icons/icon.tsx";
import type { IconName } from "../../ui/icons/icon-shapes.ts";
import { THEMES, type Theme } from "../../ui/theme/apply-theme.ts";
import { setTheme, theme } from "../state/theme.ts";

const THEME_ICONS: Readonly<Record<Theme, IconName>> = { dark: "moon", light: "sun", system: "display" };

/** Steps through dark, light and the system's own. */
export function ThemeButton() {
  const now = theme.value;
  const next = THEMES[(THEMES.indexOf(now) + 1) % THEMES.length] ?? now;
  return (
    <button
      type="button"
      class="icon-button"
      aria-label={`Theme: ${now}`}
      title={`Theme: ${now}. Click for ${next}.`}
      onClick={() => setTheme(next)}
    >
      <Icon name={THEME_ICONS[now]} />
    </button>
  );
}
