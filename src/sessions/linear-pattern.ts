import { createRequire } from "node:module";

/** Patterns in time that grows with the text and no faster. Loaded with the first one: it is among our largest modules. */
export const loadRe2 = (): typeof import("re2js") => createRequire(import.meta.url)("re2js");
