// Runs in the server's process before the server does: lets the torture turn its clock and ask for a collection.
// None of it is in the product; the torture names it on the command line with --preload.

import { heapStats } from "bun:jsc";
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { z } from "zod";
import { SEAM_ANSWER, SEAM_ORDER, SEAM_SIGNAL, SEAM_VARIABLE, SeamOrder } from "../scene/seam-words.ts";

const dir = z.string().parse(process.env[SEAM_VARIABLE]);
const realNow = Date.now.bind(Date);
let offsetMs = 0;
Date.now = () => realNow() + offsetMs;

process.on(SEAM_SIGNAL, () => {
  const order = SeamOrder.parse(JSON.parse(readFileSync(`${dir}/${SEAM_ORDER}`, "utf8")));
  offsetMs = order.clockOffsetMs;
  if (order.collect) Bun.gc(true);
  const { heapSize, objectCount } = heapStats();
  const answer = { id: order.id, heapBytes: heapSize, objects: objectCount };
  // Renamed into place, so that nobody reads half of it.
  writeFileSync(`${dir}/${SEAM_ANSWER}.new`, JSON.stringify(answer));
  renameSync(`${dir}/${SEAM_ANSWER}.new`, `${dir}/${SEAM_ANSWER}`);
});
