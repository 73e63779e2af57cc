/** The choices; a first start is dark. */
export const THEMES = ["dark", "light", "system"] as const;
export type Theme = (typeof THEMES)[number];

const THEME_KEY = "liminal:theme";
const DEFAULT_THEME: Theme = "dark";

/** The stored choice; any other value counts as none. */
export function keptTheme(): Theme {
  try {
    const kept = localStorage.getItem(THEME_KEY);
    return THEMES.find((theme) => theme === kept) ?? DEFAULT_THEME;
  } catch {
    return DEFAULT_THEME; // storage may be disabled; the page must still work
  }
}

/** The colour of the system's own bars around the page: `--canvas` of the design tokens. */
const BAR_COLOURS = { light: "#f0f1f7", dark: "#16171f" } as const;

/** Applies a theme at once; the design tokens follow. */
export function applyTheme(theme: Theme): void {
  document.documentElement.dataset["theme"] = theme;
  for (const meta of document.querySelectorAll<HTMLMetaElement>("meta[name=theme-color]")) {
    const scheme = theme === "system" ? (meta.media.includes("light") ? "light" : "dark") : theme;
    meta.content = BAR_COLOURS[scheme];
  }
}

/** Applies and stores a choice; every other frame and window of this origin follows by its storage event. */
export function chooseTheme(theme: Theme): void {
  applyTheme(theme);
  try {
    localStorage.setItem(THEME_KEY, theme);
  } catch {
    return; // storage may be disabled; the choice then lasts as long as the page
  }
}

/** Follows the choice made in another frame or window. */
export function followTheme(onChange: (theme: Theme) => void): void {
  window.addEventListener("storage", (event) => {
    if (event.key === THEME_KEY || event.key === null) onChange(keptTheme());
  });
}
