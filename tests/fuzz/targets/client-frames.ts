import { z } from "zod";
import { readClientFrame } from "../../../src/bridge/read-client-frame.ts";
import { ClientMessage } from "../../../src/protocol/client-messages.ts";
import { rule, ruleSame } from "../engine/broken-rule.ts";
import { fuzzTarget } from "../engine/fuzz-target.ts";
import { checkPlain, checkUnpolluted } from "../engine/unpolluted.ts";
import { CLIENT_SAMPLES, someFrame } from "./frame-samples.ts";

/** What clients send is a message or refused in words, whatever it is. */
export const clientFrames = fuzzTarget({
  name: "client-frames",
  weight: 12,
  shape: z.object({ frame: z.string() }),
  make: (source) => ({ frame: someFrame(source, CLIENT_SAMPLES) }),
  check({ frame }) {
    const read = readClientFrame(frame);
    if (read.ok) {
      checkPlain(read.message);
      const again = ClientMessage.safeParse(JSON.parse(JSON.stringify(read.message)));
      ruleSame(again.data, read.message, "a message that was read can be written and read again");
    } else {
      rule(read.refusal.code.length > 0 && read.refusal.message.length > 0, "a refusal says what is wrong");
      rule((read.refusal.details ?? "").length > 0, "a refusal names the place", () => read.refusal);
    }
    checkUnpolluted();
  },
});
