import { config } from "zod/mini";

// The page's policy bars eval, and zod would probe for it: this module comes first in every entry of the page.
config({ jitless: true });
