import { z } from "zod";
import { parseServerMessage } from "../../../src/client/connection.ts";
import { ruleSame } from "../engine/broken-rule.ts";
import { fuzzTarget } from "../engine/fuzz-target.ts";
import { checkPlain, checkUnpolluted } from "../engine/unpolluted.ts";
import { SERVER_SAMPLES, someFrame } from "./frame-samples.ts";

/** What a server sends is understood, unknown or invalid, whatever it is. */
export const serverFrames = fuzzTarget({
  name: "server-frames",
  weight: 12,
  shape: z.object({ frame: z.string() }),
  make: (source) => ({ frame: someFrame(source, SERVER_SAMPLES) }),
  check({ frame }) {
    const parsed = parseServerMessage(frame);
    if (parsed.kind === "message") {
      checkPlain(parsed.message);
      ruleSame(parseServerMessage(JSON.stringify(parsed.message)), parsed, "what was understood can be said again");
    }
    checkUnpolluted();
  },
});
