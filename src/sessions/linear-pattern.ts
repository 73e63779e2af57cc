/** Pattern matching in linear time. Loaded on first use, because it is one of our largest modules. */
export const loadRe2 = (): typeof import("re2js") => require("re2js");
