import { expect, it } from "bun:test";
import { acpMcpServers, type McpServerSetting } from "./mcp-servers.ts";

const SETTINGS: readonly McpServerSetting[] = [
  { name: "files", command: "/opt/files", args: ["--stdio"], env: { KEY: "made-up" } },
  { name: "web", url: "http://127.0.0.1:9/mcp", headers: { Authorization: "Bearer made-up" } },
];

it("O-2 sends every server in the protocol's format", () => {
  expect(acpMcpServers({ settings: SETTINGS, capabilities: { http: true }, isHeld: false })).toEqual([
    { name: "files", command: "/opt/files", args: ["--stdio"], env: [{ name: "KEY", value: "made-up" }] },
    {
      type: "http",
      name: "web",
      url: "http://127.0.0.1:9/mcp",
      headers: [{ name: "Authorization", value: "Bearer made-up" }],
    },
  ]);
});

it("O-2 omits servers that the agent cannot reach", () => {
  expect(acpMcpServers({ settings: SETTINGS, capabilities: undefined, isHeld: false })).toHaveLength(1);
});

const OWN = {
  name: "liminal",
  http: { url: "http://127.0.0.1:9/mcp", headers: { Authorization: "Bearer made-up" } },
  stdio: { command: "/opt/liminal", args: ["mcp"], env: { LIMINAL_MCP_TOKEN: "made-up" } },
};

it("O-2 X-19 offers our own tools by http if the agent supports it and ends with us, else by stdio with the token in its environment", () => {
  const offered = (canUseHttp: boolean, isHeld: boolean) =>
    acpMcpServers({ settings: [], capabilities: { http: canUseHttp }, own: OWN, isHeld });
  expect(offered(true, false)).toEqual([
    {
      type: "http",
      name: "liminal",
      url: "http://127.0.0.1:9/mcp",
      headers: [{ name: "Authorization", value: "Bearer made-up" }],
    },
  ]);
  for (const [canUseHttp, isHeld] of [
    [false, false],
    [false, true],
    [true, true],
  ] as const)
    expect(offered(canUseHttp, isHeld)).toEqual([
      {
        name: "liminal",
        command: "/opt/liminal",
        args: ["mcp"],
        env: [{ name: "LIMINAL_MCP_TOKEN", value: "made-up" }],
      },
    ]);
});
