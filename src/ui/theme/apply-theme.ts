/** What the user can choose; dark is what a first start shows. */
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
    return DEFAULT_THEME; // storage may be switched off; the page must still show
  }
}

/** Shows a theme at once; the tokens do the rest. */
export function applyTheme(theme: Theme): void {
  document.documentElement.dataset["theme"] = theme;
}

/** Shows and keeps a choice; every other frame and window of this origin follows by its storage event. */
export function chooseTheme(theme: Theme): void {
  applyTheme(theme);
  try {
    localStorage.setItem(THEME_KEY, theme);
  } catch {
    return; // storage may be switched off; the choice then lasts as long as the page
  }
}

/** Follows the choice made in another frame or window. */
export function followTheme(onChange: (theme: Theme) => void): void {
  window.addEventListener("storage", (event) => {
    if (event.key === THEME_KEY || event.key === null) onChange(keptTheme());
  });
}
