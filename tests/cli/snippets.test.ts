import { expect, test } from "bun:test";
import { startTestServer } from "../support/test-server.ts";
import { COMMANDS_TIMEOUT_MS, liminal, liminalJson } from "./liminal.ts";

test(
  "CV-53 [X-14] snippets: add, change, list and remove, in words and as JSON",
  async () => {
    await using server = await startTestServer();
    const cwd = await server.directory("demo");
    const at = { cwd };
    expect((await liminal(server, ["snippets"], at)).stdout).toContain("No snippets.");
    const added = await liminal(server, ["snippets", "add", "review", "Review $ARGUMENTS."], at);
    expect(added.stdout).toContain("Added /review.");
    const changed = await liminal(server, ["snippets", "add", "review", "Look at $ARGUMENTS."], at);
    expect(changed.stdout).toContain("Changed /review.");
    const { value } = await liminalJson(server, ["snippets"], at);
    expect(value.snippets).toMatchObject([{ name: "review", body: "Look at $ARGUMENTS." }]);
    expect((await liminal(server, ["snippets"], at)).stdout).toContain("/review");
    expect((await liminal(server, ["snippets", "remove", "other"], at)).code).toBe(1);
    const named = await liminal(server, ["snippets", "add", "two words", "x"], at);
    expect([named.code, named.stderr]).toEqual([1, expect.stringMatching(/^Use letters, digits, .*\.$/m)]);
    expect((await liminal(server, ["snippets", "remove"], at)).code).toBe(2);
    expect((await liminal(server, ["snippets", "remove", "review"], at)).stdout).toContain("Removed /review.");
  },
  COMMANDS_TIMEOUT_MS,
);
