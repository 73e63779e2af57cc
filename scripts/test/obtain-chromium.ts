import { findChromium } from "./find-chromium.ts";

/** What a person types where we may not do it for them. */
export const INSTALL_CHROMIUM_COMMAND = "sudo apt-get install chromium-headless-shell";

/** Finds the browser for tests, or installs Debian's package where we are root and allowed to. */
export async function obtainChromium(mayInstall: boolean): Promise<string | undefined> {
  const found = findChromium(process.env);
  if (found || !mayInstall || process.getuid?.() !== 0 || Bun.which("apt-get") === null) return found;
  console.log(
    "browser: no Chromium here; installing the Debian package chromium-headless-shell (--no-install forbids it)",
  );
  await aptGet(["update"]);
  await aptGet(["install", "-y", "chromium-headless-shell"]);
  return findChromium(process.env);
}

async function aptGet(args: readonly string[]): Promise<void> {
  await Bun.spawn(["apt-get", "-qq", ...args], {
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
    stdio: ["ignore", "ignore", "inherit"],
  }).exited;
}
