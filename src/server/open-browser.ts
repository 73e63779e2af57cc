import type { Logger } from "./logger.ts";

/** Opens the page where there is a desktop to open it on; finding none is never an error. */
export function openBrowser(url: string, env: Readonly<Record<string, string | undefined>>, logger: Logger): void {
  const command = browserCommand(env);
  if (!command) return;
  try {
    Bun.spawn([...command, url], { stdin: "ignore", stdout: "ignore", stderr: "ignore", detached: true }).unref();
  } catch (error) {
    logger.info(`No browser was opened (${error instanceof Error ? error.message : String(error)}).`);
  }
}

/** What opens an address here; null where there is no desktop. */
export function browserCommand(env: Readonly<Record<string, string | undefined>>): readonly string[] | null {
  switch (process.platform) {
    case "darwin":
      return ["open"];
    case "win32":
      return ["cmd", "/c", "start", ""];
    default:
      return env["DISPLAY"] || env["WAYLAND_DISPLAY"] ? ["xdg-open"] : null;
  }
}
