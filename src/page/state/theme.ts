import { type ReadonlySignal, signal } from "@preact/signals";
import { chooseTheme, followTheme, keptTheme, type Theme } from "../../ui/theme/apply-theme.ts";

const chosen = signal<Theme>(keptTheme());
followTheme((next) => {
  chosen.value = next;
});

/** The theme the user chose, here or in another window. */
export const theme: ReadonlySignal<Theme> = chosen;

export function setTheme(next: Theme): void {
  chosen.value = next;
  chooseTheme(next);
}
