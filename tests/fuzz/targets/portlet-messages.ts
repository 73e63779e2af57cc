import { z } from "zod";
import { completeCommand } from "../../../src/page/portlets/portlet-session.ts";
import { readFromPortlet } from "../../../src/protocol/portlet-commands.ts";
import { readFromShell } from "../../../src/protocol/portlet-messages.ts";
import { BUILTIN, SESSION } from "../../core/names.ts";
import { rule } from "../engine/broken-rule.ts";
import { fuzzTarget } from "../engine/fuzz-target.ts";
import { checkPlain, checkUnpolluted } from "../engine/unpolluted.ts";
import { CLIENT_SAMPLES, PORTLET_SAMPLES, SERVER_SAMPLES, someFrame } from "./frame-samples.ts";

const SAMPLES = [...PORTLET_SAMPLES, ...CLIENT_SAMPLES, ...SERVER_SAMPLES];

/** Messages between a frame and the shell; a frame acts only on its own session. */
export const portletMessages = fuzzTarget({
  name: "portlet-messages",
  weight: 1.5,
  shape: z.object({ frame: z.string() }),
  make: (source) => ({ frame: someFrame(source, SAMPLES) }),
  check({ frame }) {
    const message = parsed(frame);
    const toShell = readFromPortlet(message);
    if (toShell) {
      checkPlain(toShell);
      const command = completeCommand(toShell, { id: SESSION, cliType: BUILTIN });
      if (command !== null) {
        rule(
          "sessionId" in command && command.sessionId === SESSION,
          "a frame speaks for its own session",
          () => command,
        );
        checkPlain(command);
      }
    }
    const toPortlet = readFromShell(message);
    if (toPortlet) checkPlain(toPortlet);
    checkUnpolluted();
  },
});

/** Messages between windows are values and not text; what is no JSON stands for itself. */
function parsed(frame: string): unknown {
  try {
    return JSON.parse(frame);
  } catch {
    return frame;
  }
}
