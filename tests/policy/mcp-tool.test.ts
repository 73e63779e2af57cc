import { expect, test } from "bun:test";
import { RuleDraft } from "../../src/protocol/permission-policy.ts";
import { ruleWords } from "../../src/protocol/rule-words.ts";
import { PermissionToolCall } from "../../src/protocol/session-parts.ts";
import { mcpToolOf } from "../../src/sessions/policy/mcp-tool.ts";
import { offerRules } from "../../src/sessions/policy/offer-rules.ts";
import { describeRequest } from "../../src/sessions/policy/permission-subject.ts";
import { policyTree } from "./policy-tree.ts";

const call = (given: object) => PermissionToolCall.parse({ toolCallId: "t", name: "Tool", ...given });
const ECHO = { server: "lab", tool: "echo" };

test("X-22 (C1) a tool of a tool server is known by the titles agents give it, and by nothing a model can write", () => {
  for (const given of [
    { name: "mcp__lab__echo", kind: "other", input: { text: "a" } },
    { name: "mcp.lab.echo", kind: "execute", input: { server: "lab", tool: "echo", arguments: {} } },
    { name: "echo (lab MCP Server)", kind: "other" },
  ])
    expect(mcpToolOf(call(given))).toEqual(ECHO);
  for (const given of [
    { name: "mcp__lab__echo", kind: "execute", input: { command: "mcp__lab__echo" } },
    { name: "mcp__lab__echo", kind: "execute", input: {} },
    { name: "mcp.lab.echo", kind: "execute", input: { server: "lab", tool: "other" } },
    { name: "mcp__lab__echo", kind: "think", input: { description: "mcp__lab__echo", prompt: "x" } },
    { name: "mcp__lab__echo", kind: "other", input: { cmd: "rm -rf /" } },
    { name: "mcp__lab__echo; rm", kind: "other" },
    { name: "mcp__lab__echo\nrm", kind: "other" },
  ])
    expect([given.name, mcpToolOf(call(given))]).toEqual([given.name, null]);
});

test("X-22 (C1) rules name a tool server and a tool; denying wins, and what is offered answers the same request", async () => {
  await using tree = await policyTree();
  const tool = { name: "mcp__lab__echo", kind: "other", input: { text: "a" } };
  const judge = async (...rules: RuleDraft[]) => (await tree.judge({ tool, rules })).answer;
  expect(await judge()).toBe("ask");
  for (const named of ["mcp:lab/echo", "mcp:lab/*", "mcp:lab/ec*", "mcp:*/*"])
    expect([named, await judge({ effect: "allow", tool: named })]).toEqual([named, "allow"]);
  for (const named of ["mcp:lab/ech", "mcp:other/*", "mcp:lab/echo2"])
    expect([named, await judge({ effect: "allow", tool: named })]).toEqual([named, "ask"]);
  expect(await judge({ effect: "allow", tool: "mcp:lab/*" }, { effect: "deny", tool: "mcp:lab/echo" })).toBe("deny");
  const offered = offerRules(describeRequest(call(tool), tree.root));
  expect(offered.map(ruleWords)).toEqual(["Allow the tool mcp:lab/echo"]);
  expect(await judge(...offered)).toBe("allow");
  expect(ruleWords({ effect: "deny", tool: "mcp:lab/*" })).toBe("Deny all tools of lab");
});

test("X-22 (C1) a rule about a tool names it whole, and nothing else", () => {
  for (const rule of [
    { effect: "allow", tool: "lab/echo" },
    { effect: "allow", tool: "mcp:lab" },
    { effect: "allow", tool: "mcp:lab/echo", kind: "other" },
    { effect: "allow", tool: "mcp:lab/echo", command: "ls" },
    { effect: "allow", tool: "mcp:la*/echo" },
  ])
    expect([rule, RuleDraft.safeParse(rule).success]).toEqual([rule, false]);
});
