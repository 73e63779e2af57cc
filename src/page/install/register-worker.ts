import { ignore } from "../../lib/ignore.ts";
import { trustedScriptUrl } from "../../ui/trusted-script-url.ts";

const ADDRESS = "/service-worker.js";

/** Browsers have service workers on secure origins only; without one the page works as before, but offline it does not open. */
export function registerWorker(): void {
  if (!("serviceWorker" in navigator)) return;
  navigator.serviceWorker
    .register(trustedScriptUrl(ADDRESS), { scope: "/", updateViaCache: "none" })
    .catch(ignore("the page works without it"));
}
