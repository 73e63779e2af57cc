import { expect, it } from "bun:test";
import { agentPackage } from "../install/agent-package.ts";
import { LoopbackRegistry } from "../install/loopback-registry.ts";
import { startTestServer } from "../support/test-server.ts";
import { COMMANDS_TIMEOUT_MS, liminalJson } from "./liminal.ts";

const OLD = "1.5.0";
const OFFERED = "1.6.2";

it(
  "X-5 X-14 agents install, update and remove bring an agent, its newer version, and take it away",
  async () => {
    await using registry = new LoopbackRegistry();
    for (const version of [OLD, OFFERED])
      await registry.publish(await agentPackage({ name: "@agentclientprotocol/codex-acp", version }));
    const settings = { npm_config_registry: registry.url, npm_config_globalconfig: "/nonexistent/npmrc" };
    await using server = await startTestServer({ env: { ...settings, PATH: "/usr/bin:/bin" } });
    const installed = async () => {
      const { agents } = (await liminalJson(server, ["agents", "--all"])).value;
      return agents.find((agent: { id: string }) => agent.id === "codex")?.installedVersion;
    };

    const brought = await liminalJson(server, ["agents", "install", "codex", "--version", OLD]);
    expect(brought).toMatchObject({ code: 0, value: { id: "codex", status: "installed" } });
    expect(await installed()).toBe(OLD);
    expect(await liminalJson(server, ["agents", "update"])).toMatchObject({ code: 0, value: { updated: ["codex"] } });
    expect(await installed()).toBe(OFFERED);
    expect(await liminalJson(server, ["run", "-a", "codex", "--wait", "stream 2 words"])).toMatchObject({
      code: 0,
      value: { status: "done", text: "w1 w2" },
    });
    expect((await liminalJson(server, ["agents", "remove", "codex"])).code).toBe(0);
    expect(await installed()).toBeUndefined();
  },
  COMMANDS_TIMEOUT_MS,
);
