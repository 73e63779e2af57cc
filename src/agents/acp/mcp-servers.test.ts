import { expect, it } from "bun:test";
import { acpMcpServers, type McpServerSetting } from "./mcp-servers.ts";

const SETTINGS: readonly McpServerSetting[] = [
  { name: "files", command: "/opt/files", args: ["--stdio"], env: { KEY: "made-up" } },
  { name: "web", url: "http://127.0.0.1:9/mcp", headers: { Authorization: "Bearer made-up" } },
];

it("O-2 gives every server in the protocol's own shape", () => {
  expect(acpMcpServers(SETTINGS, { http: true })).toEqual([
    { name: "files", command: "/opt/files", args: ["--stdio"], env: [{ name: "KEY", value: "made-up" }] },
    {
      type: "http",
      name: "web",
      url: "http://127.0.0.1:9/mcp",
      headers: [{ name: "Authorization", value: "Bearer made-up" }],
    },
  ]);
});

it("O-2 leaves out what the agent cannot reach", () => {
  expect(acpMcpServers(SETTINGS, undefined)).toHaveLength(1);
});
