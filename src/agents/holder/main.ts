import { Holder } from "./holder.ts";
import type { HolderOrders } from "./holder-orders.ts";

/** Runs detached from the server and every terminal; ends only with its agent or after a long time without a server. */
async function main(): Promise<void> {
  const orders = await readOrders();
  const holder = new Holder(orders, () => process.exit(0));
  for (const signal of ["SIGINT", "SIGHUP"] as const) process.on(signal, () => undefined);
  process.on("SIGTERM", () => holder.leave().catch(() => process.exit(1)));
  // Whoever started us may have been killed meanwhile: the next one finds us by our socket.
  process.stdout.on("error", () => undefined);
  holder.run();
  process.stdout.write("ready\n");
}

/** Written a moment ago by the server that started us. */
function readOrders(): Promise<HolderOrders> {
  return Bun.stdin.json();
}

await main();
