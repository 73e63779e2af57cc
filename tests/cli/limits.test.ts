import { expect, it } from "bun:test";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { claudeLimit, LimitedAccount, refusingAgent } from "../limits/limited-agent.ts";
import { startTestServer } from "../support/test-server.ts";
import { COMMANDS_TIMEOUT_MS, liminalJson } from "./liminal.ts";

it(
  "[CV-23] run --wait waits for the end of a usage limit and brings the answer; a quota without an end is told",
  async () => {
    const quota = { code: 429, message: "Quota exceeded. Check your plan." };
    let account: LimitedAccount | undefined;
    await using server = await startTestServer({
      env: { LIMINAL_LIMIT_CHECK_MS: "50" },
      prepare: async (dataDir) => {
        const place = join(dataDir, "..", "account");
        await mkdir(place);
        account = new LimitedAccount(place);
        const agents = { limited: account.agent(), poor: refusingAgent({ error: quota }) };
        await writeFile(join(dataDir, "config.json"), JSON.stringify({ agents }));
      },
    });
    const cwd = await server.directory("shop");
    // Due some seconds after the refusal, or at once where that comes late: the account works again by then.
    account?.refuse({ ...claudeLimit(Date.now() - 50_000), once: true });
    const answered = await liminalJson(server, ["run", "--wait", "-a", "limited", "Fix the parser"], { cwd });
    expect(answered.value).toMatchObject({ status: "done", text: "Done: Fix the parser" });
    expect(answered.stderr).toContain("5-hour limit · resumes");
    expect(account?.asked.map(({ refused }) => refused)).toEqual([true, false]);
    const told = await liminalJson(server, ["run", "--wait", "-a", "poor", "Fix the parser"], { cwd });
    expect(told.value).toMatchObject({ status: "blocked", error: expect.stringContaining("Quota exceeded.") });
  },
  COMMANDS_TIMEOUT_MS,
);
