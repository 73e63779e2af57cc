import { signal } from "@preact/signals";
import { Icon } from "../../icons/icon.tsx";
import type { IconName } from "../../icons/icon-shapes.ts";
import { chooseTheme, followTheme, keptTheme, THEMES, type Theme } from "../../theme/apply-theme.ts";

const THEME_ICONS: Readonly<Record<Theme, IconName>> = { dark: "moon", light: "sun", system: "display" };

const theme = signal<Theme>(keptTheme());
followTheme((next) => {
  theme.value = next;
});

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
      onClick={() => {
        theme.value = next;
        chooseTheme(next);
      }}
    >
      <Icon name={THEME_ICONS[now]} />
    </button>
  );
}
