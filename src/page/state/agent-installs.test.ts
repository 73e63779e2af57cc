import { expect, it } from "bun:test";
import { CliType } from "../../protocol/ids.ts";
import { PlainServerMessage } from "../../protocol/server-messages.ts";
import { AgentInstalls } from "./agent-installs.ts";
import type { Notify } from "./trouble.ts";

const CODEX = CliType.parse("codex");
const TROUBLE = { code: "AGENT_UNAVAILABLE", message: "The installation was cancelled." } as const;

it("[X-5] the refusal of a cancelled install does not affect the one started after it", async () => {
  const refusals: (() => void)[] = [];
  const installs = new AgentInstalls((_request, notify?: Notify) => {
    const answered = Promise.withResolvers<null>();
    refusals.push(() => {
      notify?.(TROUBLE.message, TROUBLE);
      answered.resolve(null);
    });
    return answered.promise;
  });
  const phase = () => installs.all.peek().get(CODEX)?.phase;
  const first = installs.install(CODEX);
  installs.receive(
    PlainServerMessage.parse({
      type: "agent:install-progress",
      cliType: CODEX,
      phase: "cancelled",
      progress: 0,
      message: TROUBLE.message,
    }),
  );
  expect(phase()).toBeUndefined();
  const second = installs.install(CODEX);
  refusals[0]?.();
  await first;
  expect(phase()).toBe("running");
  refusals[1]?.();
  await second;
  expect(phase()).toBe("failed");
});
