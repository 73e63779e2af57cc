import { Holder } from "./holder.ts";
import type { HolderOrders } from "./holder-orders.ts";

/** Runs apart from the server and of every terminal; only its agent's end, or a long absence of servers, ends it. */
async function main(): Promise<void> {
  const orders = await readOrders();
  const holder = new Holder(orders, () => process.exit(0));
  for (const signal of ["SIGINT", "SIGHUP"] as const) process.on(signal, () => undefined);
  process.on("SIGTERM", () => holder.leave().catch(() => process.exit(1)));
  holder.run();
  process.stdout.write("ready\n");
}

/** Written a moment ago by the server that started us. */
function readOrders(): Promise<HolderOrders> {
  return Bun.stdin.json();
}

await main();
