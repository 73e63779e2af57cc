// Serves while you work: a saved source rebuilds the page if it is part of it, and starts the server anew.
import { watch } from "node:fs";
import { join, resolve } from "node:path";

const WATCHED = ["src", "builtin-agent"];
/** An editor or a checkout saves several files in one go. */
const SETTLE_MS = 150;

const root = resolve(import.meta.dirname, "..");
let server = await startServer();
let restart = Promise.resolve();
let settle: ReturnType<typeof setTimeout> | undefined;

for (const folder of WATCHED) {
  watch(join(root, folder), { recursive: true }, (_event, path) => {
    if (path?.includes(".test.")) return;
    clearTimeout(settle);
    settle = setTimeout(() => {
      restart = restart.then(async () => {
        await stopServer();
        server = await startServer();
      });
    }, SETTLE_MS);
  });
}
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.once(signal, async () => {
    await stopServer();
    process.exit(0);
  });
}

async function startServer(): Promise<Bun.Subprocess> {
  await Bun.spawn([process.execPath, join(root, "scripts/build-page.ts")], { stdio: ["ignore", "inherit", "inherit"] })
    .exited;
  const command = [process.execPath, "--no-env-file", join(root, "src/cli/main.ts"), "serve", ...process.argv.slice(2)];
  return Bun.spawn(command, { stdio: ["ignore", "inherit", "inherit"] });
}

async function stopServer(): Promise<void> {
  server.kill("SIGTERM");
  await server.exited;
}
