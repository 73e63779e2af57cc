import { test } from "bun:test";
import { expectSoon } from "../support/expect-soon.ts";
import { allowWrites, failWrites, NO_FILE_LIMIT } from "../support/file-limit.ts";
import { startTestServer } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";
import { useChromium } from "./use-chromium.ts";

const chromium = useChromium();

test.skipIf(NO_FILE_LIMIT !== null)(
  "X-2 X-22 a disk that takes nothing: every page says so and how it ends, what is typed stays, and it is sent after",
  async () => {
    await using server = await startTestServer();
    await using app = await chromium.open(server);
    await app.addProject(await server.directory("demo"));
    const session = await app.newSession("demo");
    await session.ask("stream 3 words", "w3");
    await using other = await chromium.open(server);
    failWrites(server.pid);
    await session.message.fill("half a message");
    const told = app.page.getByRole("alert").filter({ hasText: "Read-only" });
    await told.waitFor();
    await expectSoon(() => told.textContent()).toContain("automatically");
    await other.page.getByRole("alert").filter({ hasText: "Read-only" }).waitFor();
    await session.untilSendIs("off");
    await session.message.press("Enter");
    await expectSoon(() => session.message.inputValue()).toBe("half a message");
    await expectSoon(() => session.texts("assistant")).toHaveLength(1);
    await expectSoon(() => session.frame.getByRole("alert").count()).toBe(0);
    allowWrites(server.pid);
    await told.waitFor({ state: "detached" });
    await session.untilSendIs("on");
    using client = await server.connect();
    await waitFor(
      async () => (await client.ask("session:history", { type: "session:open", sessionId: session.id })).draft,
      (draft) => draft === "half a message",
      "the server to keep the draft",
    );
    await session.message.fill("stream 2 words");
    await session.message.press("Enter");
    await session.untilSaid("w2");
  },
);
