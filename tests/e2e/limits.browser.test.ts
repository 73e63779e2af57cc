import { expect, test } from "bun:test";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { claudeLimit, LimitedAccount } from "../limits/limited-agent.ts";
import { expectSoon } from "../support/expect-soon.ts";
import { startTestServer } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";
import { useChromium } from "./use-chromium.ts";

const chromium = useChromium();
const TASK = "Fix the parser";

test("[CV-22] [CV-27] a session at its limit is marked everywhere, resumes by key, and can be tried or dismissed", async () => {
  let account: LimitedAccount | undefined;
  await using server = await startTestServer({
    prepare: async (dataDir) => {
      const place = join(dataDir, "..", "account");
      await mkdir(place);
      account = new LimitedAccount(place);
      account.refuse(claudeLimit(Date.now() + 3_600_000));
      await writeFile(join(dataDir, "config.json"), JSON.stringify({ agents: { limited: account.agent() } }));
    },
  });
  await using app = await chromium.open(server);
  await app.addProject(await server.directory("demo"));
  const session = await app.newSession("demo", "Limited");
  await session.say(TASK);
  const card = session.frame.getByRole("group", { name: "Usage limit" });
  await card.getByRole("heading", { name: /^5-hour limit · until \d\d:\d\d|until \w+ \d+, \d\d:\d\d/ }).waitFor();
  await app.untilRowSays(TASK, "at a usage limit");
  await expectSoon(() => app.tab(TASK).getAttribute("aria-description")).toContain("at a usage limit");
  await expectSoon(() => card.textContent()).toContain("Work · ada@example.org");
  await expectSoon(() => session.transcript.getByText("You've hit your 5-hour limit").count()).toBe(1);
  // A message that is sent now waits.
  await session.say("Then the lexer");
  await card.getByText("1 queued message follows.").waitFor();
  // The card says when it is sent; nothing else does.
  await expectSoon(() => session.frame.getByRole("note").count()).toBe(0);
  // By key, while the cursor is in the message.
  await app.page.keyboard.press("Alt+r");
  await card.getByRole("heading", { name: /resumes/ }).waitFor();
  await expectSoon(() => card.getByRole("button", { name: "Resume then" }).count()).toBe(0);
  account?.accept();
  await card.getByRole("button", { name: "Try now" }).click();
  await session.untilSaid("Done: Then the lexer");
  await card.waitFor({ state: "detached" });
  expect(account?.asked.map(({ text }) => text)).toEqual([TASK, TASK, "Then the lexer"]);
  // Dismissed, the session is as any other.
  account?.refuse(claudeLimit(Date.now() + 3_600_000));
  await session.say("And the docs");
  await card.getByRole("button", { name: "Dismiss" }).click();
  await card.waitFor({ state: "detached" });
  account?.accept();
  await session.ask("Explain it", "Done: Explain it");
  await waitFor(
    () => account?.asked.length,
    (count) => count === 5,
    "five prompts",
  );
});
