import { TerminalHolder, type TerminalOrders } from "./terminal-holder.ts";

/** Runs detached from the server; ends when its terminal is closed, or after a long time without a server. */
async function main(): Promise<void> {
  const orders = await readOrders();
  const holder = new TerminalHolder(orders, () => process.exit(0));
  for (const signal of ["SIGINT", "SIGHUP"] as const) process.on(signal, () => undefined);
  process.on("SIGTERM", () => holder.close().catch(() => process.exit(1)));
  // Whoever started us may have been killed meanwhile: the next one finds us by our socket.
  process.stdout.on("error", () => undefined);
  holder.run();
  process.stdout.write("ready\n");
}

/** Written a moment ago by the server that started us. */
function readOrders(): Promise<TerminalOrders> {
  return Bun.stdin.json();
}

await main();
