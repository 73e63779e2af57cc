import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { textsBy } from "../agents/model-server/model-request.ts";
import { toolLine } from "../agents/model-server/script.ts";
import { at } from "../builtin-agent/message.ts";
import { KEY } from "./model-env.ts";
import { ALL_KNOWN, ENDED, notices, withModel } from "./with-model.ts";

for (const kind of ["openai", "anthropic"] as const)
  describe(`O-8 the built-in agent with a model (${kind})`, () => {
    test("O-8 streams thoughts and words, uses its tools, and shows the context", async () => {
      await withModel(
        async ({ agent, model }) => {
          const sessionId = await agent.open();
          writeFileSync(join(agent.cwd, "notes.txt"), "one\ntwo\nthree\n");
          const script = [
            "think: Let me look.",
            toolLine("read_file", { path: "notes.txt", line: 2, lines: 1 }),
            "say: Two lines follow.",
          ];
          const answer = await agent.prompt(sessionId, script.join("\n"));
          expect(answer).toEqual(ENDED);
          expect(agent.text(0, "agent_thought_chunk")).toBe("Let me look.");
          expect(agent.text()).toBe("Two lines follow.");
          expect(agent.tools()).toMatchObject([
            { title: "Read notes.txt", status: "completed", rawInput: { path: "notes.txt" } },
          ]);
          expect(textsBy(model.requests[1], "tool").join()).toContain("two\n[2 more lines; continue at line 3]");
          const usage = agent.updates().findLast((update) => update["sessionUpdate"] === "usage_update");
          expect(usage?.["size"]).toBe(128_000);
          expect(Number(usage?.["used"])).toBeGreaterThan(1_234);
          // Both questions to the model are counted, not the context at the end alone.
          expect(Number(at(answer, "usage", "totalTokens"))).toBeGreaterThan(2 * 1_234);
          expect([...model.keys].every((key) => key.includes(KEY))).toBe(true);
        },
        { kind },
      );
    });

    test("O-8 asks before a command and an edit, and the model gets the result", async () => {
      await withModel(
        async ({ agent, model }) => {
          const sessionId = await agent.open();
          const asked = agent.answerPermissions("allow-once");
          const command = "echo key=$LIMINAL_MODEL_KEY; exit 3";
          const script = [
            toolLine("run_command", { command }),
            toolLine("write_file", { path: "a.txt", text: "new\n" }),
            "say: Both.",
          ];
          expect(await agent.prompt(sessionId, script.join("\n"))).toEqual(ENDED);
          expect(asked.map((question) => at(question, "toolCall", "kind"))).toEqual(["execute", "edit"]);
          expect(readFileSync(join(agent.cwd, "a.txt"), "utf8")).toBe("new\n");
          const results = textsBy(model.requests[2], "tool").join("\n");
          expect(results).toContain("Exit code 3.\nkey=\n");
          expect(results).toContain("a.txt was created.");
          agent.answerPermissions("reject-once");
          expect(
            await agent.prompt(sessionId, `${toolLine("run_command", { command: "touch never" })}\nsay: No.`),
          ).toEqual(ENDED);
          expect(textsBy(model.requests.at(-1), "tool").at(-1)).toContain("does not want this command");
          expect(existsSync(join(agent.cwd, "never"))).toBe(false);
        },
        { kind },
      );
    });

    test("O-8 survives 429, 500 and dropped connections, and reports each retry", async () => {
      await withModel(
        async ({ agent, model }) => {
          await agent.initialize(ALL_KNOWN);
          const sessionId = await agent.newSession();
          model.mishaps.push({ status: 429, headers: { "retry-after": "0" } }, { status: 500 }, "drop", "cut");
          expect(await agent.prompt(sessionId, "say: Here I am.")).toEqual(ENDED);
          expect(agent.text()).toEndWith("Here I am.");
          const told = notices(agent);
          expect(told.map((line) => /\(\d of 5\)/.exec(line)?.[0])).toEqual([
            "(1 of 5)",
            "(2 of 5)",
            "(3 of 5)",
            "(4 of 5)",
          ]);
          expect(told[0]).toContain("answered 429");
          expect(told[1]).toContain("answered 500");
          // The broken-off words are not what the model is reminded of.
          await agent.prompt(sessionId, "say: Again.");
          expect(textsBy(model.requests.at(-1), "assistant").join()).toBe("Here I am.");
        },
        { kind },
      );
    });

    test("O-8 a cancel closes the request to the model, keeps its output, and sends no more requests", async () => {
      await withModel(
        async ({ agent, model }) => {
          const sessionId = await agent.open();
          const turn = agent.prompt(sessionId, "say: Half a\nhold: middle\nsay: never");
          await model.untilHeld("middle");
          await agent.waitFor(() => agent.text() === "Half a");
          agent.notify("session/cancel", { sessionId });
          expect(await turn).toEqual({ stopReason: "cancelled" });
          await model.untilAbandoned("middle");
          const asked = model.requests.length;
          // A cancel while a tool runs comes before the next question to the model.
          agent.answerPermissions("allow-once");
          const running = agent.prompt(
            sessionId,
            `${toolLine("run_command", { command: "echo started; sleep 300" })}\nsay: never`,
          );
          await agent.waitFor(() => JSON.stringify(agent.tools()).includes("started\\n"));
          agent.notify("session/cancel", { sessionId });
          expect(await running).toEqual({ stopReason: "cancelled" });
          expect(await agent.prompt(sessionId, "say: Still here.")).toEqual(ENDED);
          expect(model.requests).toHaveLength(asked + 2);
          expect(textsBy(model.requests.at(-1), "assistant").join()).toContain("Half a");
          expect(textsBy(model.requests.at(-1), "tool").join()).toContain("Interrupted");
        },
        { kind },
      );
    });

    test("O-8 it remembers after kill -9 of its process, calls that were cut off included", async () => {
      await withModel(
        async ({ agent, model, restart }) => {
          const sessionId = await agent.open();
          writeFileSync(join(agent.cwd, "a.txt"), "text of a\n");
          await agent.prompt(sessionId, `think: Hm.\n${toolLine("read_file", { path: "a.txt" })}\nsay: I read it.`);
          agent.answerPermissions("allow-once");
          const cut = agent.prompt(sessionId, toolLine("run_command", { command: "echo started; sleep 300" }));
          cut.catch(() => undefined);
          await agent.waitFor(() => JSON.stringify(agent.tools()).includes("started\\n"));
          agent.kill("SIGKILL");
          await agent.ended();
          await using again = restart();
          await again.initialize();
          await again.request("session/load", { sessionId, cwd: again.cwd, mcpServers: [] });
          expect(await again.prompt(sessionId, "say: Yes.")).toEqual(ENDED);
          const last = model.requests.at(-1);
          expect(textsBy(last, "assistant").join()).toContain("I read it.");
          expect(textsBy(last, "tool").join()).toContain("text of a");
          expect(textsBy(last, "tool").at(-1)).toContain("Interrupted");
        },
        { kind },
      );
    });
  });
