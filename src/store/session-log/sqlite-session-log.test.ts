import { expect, it } from "bun:test";
import { openStore } from "../../../tests/core/open-store.ts";

it("[LOG-4] only receipts from before the given time are dropped", async () => {
  await using at = await openStore();
  for (const day of ["01", "02", "03"])
    await at.log.saveReceipt({ commandId: day, answer: day, at: `2026-01-${day}T00:00:00.000Z` });
  at.log.dropReceiptsBefore("2026-01-02T00:00:00.000Z");
  expect(await Promise.all(["01", "02", "03"].map((day) => at.log.receipt(day)))).toEqual([null, "02", "03"]);
});
