import { expect, test } from "bun:test";
import { z } from "zod";
import { textsBy } from "../agents/model-server/model-request.ts";
import { type Plan, startModelServer } from "../agents/model-server/model-server.ts";
import { isHousekeeping, planAnswer } from "../agents/model-server/plan-answer.ts";
import type { Step } from "../agents/model-server/script.ts";
import { AgentDriver } from "../builtin-agent/agent-driver.ts";
import { temporaryDirectory } from "../builtin-agent/temporary-directory.ts";
import { COMMANDS_TIMEOUT_MS, liminalJson } from "../cli/liminal.ts";
import { TestServer } from "../support/test-server.ts";
import { KEY, modelEnv } from "./model-env.ts";
import { ALL_KNOWN, ENDED, notices, withModel } from "./with-model.ts";

const TOO_LONG: readonly Step[] = [
  { does: "fail", status: 400, message: "This model's maximum context length is 4096 tokens." },
];
const Report = z.object({
  checks: z.array(z.object({ id: z.string(), status: z.string(), message: z.string(), fix: z.string().optional() })),
});
const PAGE = "<!doctype html><title>Sign in</title><p>Sign in to go on.</p>";
const SILENT_MS = "300";

for (const kind of ["openai", "anthropic"] as const) {
  test(`O-8 (C11) a question that does not fit after a summary ends the turn as an error (${kind}), and the next one is answered`, async () => {
    const question = "say: never";
    await withModel(
      async ({ agent }) => {
        const sessionId = await agent.open(ALL_KNOWN);
        expect(await agent.prompt(sessionId, "say: Before.")).toEqual(ENDED);
        await expect(agent.prompt(sessionId, question)).rejects.toThrow(
          /answered 400: .*does not fit into the model's context.*LIMINAL_MODEL_CONTEXT/s,
        );
        expect(agent.text()).toBe("Before.");
        const compactions = agent.updates().filter((update) => update["sessionUpdate"] === "compaction_update");
        expect(compactions.map(({ status }) => status)).toEqual(["in_progress", "completed"]);
        expect(await agent.prompt(sessionId, "say: After.")).toEqual(ENDED);
        expect(agent.text()).toBe("Before.After.");
      },
      { kind, plan: (request) => (textsBy(request, "user").at(-1) === question ? TOO_LONG : planAnswer(request)) },
    );
  });

  test(`O-8 (C11) a summary that does not fit either ends the turn as an error (${kind})`, async () => {
    await withModel(
      async ({ agent }) => {
        const sessionId = await agent.open(ALL_KNOWN);
        await expect(agent.prompt(sessionId, "say: never")).rejects.toThrow("does not fit into the model's context");
        expect(agent.text()).toBe("");
      },
      { kind, plan: () => TOO_LONG },
    );
  });

  test(`O-8 (C11) a web page with a good status is named as such (${kind}) and asked for once`, async () => {
    await withModel(
      async ({ agent, model }) => {
        const sessionId = await agent.open(ALL_KNOWN);
        const host = new URL(model.origin).host;
        for (const type of ["text/html; charset=utf-8", "text/plain"]) {
          const asked = model.requests.length;
          model.mishaps.push({ body: PAGE, type });
          await expect(agent.prompt(sessionId, "say: never")).rejects.toThrow(
            `The model at ${host} answered with a web page, not with a model's answer. Check LIMINAL_MODEL_URL.`,
          );
          expect(model.requests.length - asked).toBe(1);
        }
        model.mishaps.push({ body: '{"error":"Unexpected endpoint"}', type: "application/json" });
        await expect(agent.prompt(sessionId, "say: never")).rejects.toThrow(
          'answered with JSON ({"error":"Unexpected endpoint"}), not with a model\'s answer.',
        );
        expect(notices(agent)).toEqual([]);
        expect(await agent.prompt(sessionId, "say: Well again.")).toEqual(ENDED);
      },
      { kind },
    );
  });

  test(`O-8 (C11) a silent endpoint is given up after its limit (${kind}), not after six of them`, async () => {
    await withModel(
      async ({ agent, model }) => {
        const sessionId = await agent.open(ALL_KNOWN);
        await expect(agent.prompt(sessionId, "hold: ever")).rejects.toThrow(
          /sent nothing for 1 s\. .*LIMINAL_MODEL_SILENT_MS/,
        );
        await model.untilAbandoned("ever");
        expect([model.requests.length, notices(agent)]).toEqual([1, []]);
      },
      { kind, env: { LIMINAL_MODEL_SILENT_MS: SILENT_MS } },
    );
  });
}

test("O-8 (C11) an endpoint that takes the connection and never answers is given up, too", async () => {
  using silent = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data: () => undefined } });
  using directory = temporaryDirectory();
  const env = {
    LIMINAL_MODEL_URL: `http://127.0.0.1:${silent.port}/v1`,
    LIMINAL_MODEL: "m",
    LIMINAL_MODEL_SILENT_MS: SILENT_MS,
  };
  await using agent = new AgentDriver({ directory: directory.path, env });
  await expect(agent.prompt(await agent.open(), "hello")).rejects.toThrow("sent nothing for 1 s.");
});

const lookAround: Plan = (request) =>
  isHousekeeping(request) ? planAnswer(request) : [{ does: "tool", name: "list_files", input: {} }];

test("O-8 (C11) a context that is full again after every summary ends the turn as an error", async () => {
  await withModel(
    async ({ agent, model }) => {
      const sessionId = await agent.open(ALL_KNOWN);
      await expect(agent.prompt(sessionId, "look around")).rejects.toThrow(
        /summarized 3 times in a row.*LIMINAL_MODEL_CONTEXT \(now 1000\)/,
      );
      expect(model.requests.length).toBeLessThan(6);
    },
    { env: { LIMINAL_MODEL_CONTEXT: "1000" }, plan: lookAround },
  );
});

test("O-8 (C11) a missing endpoint is reported as text", async () => {
  const model = startModelServer();
  const env = modelEnv(model);
  const { host } = new URL(model.origin);
  await model[Symbol.asyncDispose]();
  using directory = temporaryDirectory();
  await using agent = new AgentDriver({ directory: directory.path, env });
  await expect(agent.prompt(await agent.open(ALL_KNOWN), "hello")).rejects.toThrow(
    `Could not connect to ${host} (connection refused). I tried 6 times. Check LIMINAL_MODEL_URL`,
  );
  expect(notices(agent)[0]).toBe(`Could not connect to ${host} (connection refused). I try again now (1 of 5).`);
});

test(
  "X-14 (C11) doctor asks the model that is configured, and says in words why it does not answer",
  async () => {
    await using server = await TestServer.prepare();
    let answer: readonly Step[] = [{ does: "say", text: "ok" }];
    await using model = startModelServer(() => answer);
    const examined = async (env: Record<string, string>) => {
      const { code, value } = await liminalJson(server, ["doctor", "-a", "builtin"], { env });
      const { checks } = Report.parse(value);
      return { code, found: checks.find(({ id }) => id === "model"), text: JSON.stringify(value) };
    };
    const host = new URL(model.origin).host;
    const well = await examined(modelEnv(model));
    expect(well.found).toEqual({
      id: "model",
      status: "ok",
      message: `The model "scripted-1" at ${host} answered: “ok”`,
    });
    expect([well.code, model.keys.size]).toEqual([0, 1]);
    answer = [{ does: "fail", status: 401, message: `no such key ${KEY}` }];
    const refused = await examined(modelEnv(model));
    expect([refused.code, refused.found?.status]).toEqual([1, "problem"]);
    expect(refused.found?.fix).toContain("LIMINAL_MODEL_KEY");
    expect(refused.text).not.toContain(KEY);
    model.mishaps.push({ body: PAGE, type: "text/html" });
    expect((await examined(modelEnv(model))).found?.message).toContain("answered with a web page");
    expect((await examined({ LIMINAL_MODEL: "m" })).found?.message).toContain("LIMINAL_MODEL_URL is not set");
    expect((await examined({})).found).toBeUndefined();
  },
  COMMANDS_TIMEOUT_MS,
);
