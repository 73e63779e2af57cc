import { existsSync } from "node:fs";
import { findChromium } from "./find-chromium.ts";

const CHROMIUM_PACKAGE = "chromium-headless-shell";
/** The command for the user where we may not install it ourselves. */
export const INSTALL_CHROMIUM_COMMAND = `sudo apt-get install ${CHROMIUM_PACKAGE}`;

/** Finds the browser for tests, or installs Debian's package where we are root and allowed to. */
export async function obtainChromium(mayInstall: boolean): Promise<string | undefined> {
  const found = findChromium(process.env);
  if (found !== undefined || !mayInstall) return found;
  await install("browser: no Chromium here", CHROMIUM_PACKAGE);
  return findChromium(process.env);
}

/** Likewise the SSH server that tests of places connect to; without it they are left out. */
export async function obtainSshServer(mayInstall: boolean): Promise<void> {
  const isThere = existsSync("/usr/sbin/sshd") && Bun.which("ssh") !== null;
  if (!isThere && mayInstall) await install("places: no SSH server here", "openssh-server", "openssh-client");
}

async function install(why: string, ...packages: readonly string[]): Promise<void> {
  if (process.getuid?.() !== 0 || Bun.which("apt-get") === null) return;
  const [what] = packages;
  console.log(`${why}; installing the Debian package ${what} (--no-install forbids it)`);
  await aptGet("update");
  await aptGet("install", "-y", "--no-install-recommends", ...packages);
}

/** A fresh machine updates itself: until that has finished, apt refuses at once. */
const LOCK_WAIT_MS = 300_000;
const LOOK_AGAIN_MS = 1_000;
const LOCKED = /Could not get lock|Unable to lock|Unable to acquire the dpkg frontend lock/;

async function aptGet(...args: readonly string[]): Promise<void> {
  const deadline = performance.now() + LOCK_WAIT_MS;
  for (;;) {
    const child = Bun.spawn(["apt-get", "-qq", ...args], {
      env: { ...process.env, DEBIAN_FRONTEND: "noninteractive", LC_ALL: "C" },
      stdio: ["ignore", "ignore", "pipe"],
    });
    const [said, code] = await Promise.all([new Response(child.stderr).text(), child.exited]);
    if (code === 0) return;
    if (!LOCKED.test(said) || performance.now() > deadline) {
      process.stderr.write(said);
      return;
    }
    await Bun.sleep(LOOK_AGAIN_MS);
  }
}
