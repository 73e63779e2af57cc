import { applyTheme, followTheme, keptTheme } from "./apply-theme.ts";

// Loaded in the head, before the first paint, so that no page ever flashes the other theme.
applyTheme(keptTheme());
followTheme(applyTheme);
