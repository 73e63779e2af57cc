import type { ITheme } from "@xterm/xterm";

/** The page has one tint of each hue, so the bright ones are the same. */
const COLOURS = [
  ["black", "brightBlack"],
  ["red", "brightRed"],
  ["green", "brightGreen"],
  ["yellow", "brightYellow"],
  ["blue", "brightBlue"],
  ["magenta", "brightMagenta"],
  ["cyan", "brightCyan"],
  ["white", "brightWhite"],
] as const;

/** The page's own colours as the terminal wants them: resolved, in the theme that is shown now. */
export function terminalTheme(place: Element): ITheme {
  const probe = document.createElement("span");
  place.append(probe);
  const resolve = (role: string): string => {
    probe.style.color = `var(--${role})`;
    return getComputedStyle(probe).color;
  };
  const theme: ITheme = {
    background: resolve("sunken"),
    foreground: resolve("text"),
    cursor: resolve("accent"),
    cursorAccent: resolve("sunken"),
    selectionBackground: resolve("selection"),
  };
  for (const [plain, bright] of COLOURS) {
    theme[plain] = resolve(`ansi-${plain}`);
    theme[bright] = theme[plain];
  }
  probe.remove();
  return theme;
}
