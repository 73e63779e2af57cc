import { expect, test } from "bun:test";
import type { RuleDraft } from "../../src/protocol/permission-policy.ts";
import { ruleWords } from "../../src/protocol/rule-words.ts";
import { PermissionToolCall } from "../../src/protocol/session-parts.ts";
import { offerRules } from "../../src/sessions/policy/offer-rules.ts";
import { describeRequest } from "../../src/sessions/policy/permission-subject.ts";
import { refuseRules } from "../../src/sessions/policy/read-command.ts";
import { policyTree } from "./policy-tree.ts";

const offered = (tool: object, root = "/project"): readonly RuleDraft[] =>
  offerRules(describeRequest(PermissionToolCall.parse({ toolCallId: "t", name: "Tool", ...tool }), root));
const run = (command: string) => ({ kind: "execute", input: { command } });
const words = (command: string) => offered(run(command)).map(ruleWords);

test("X-22 a rule is offered for what the request does, as narrow as possible, as text", () => {
  const harmless = (use: string) =>
    `Allow "${use}" with arguments known to be harmless, inside the session's directory`;
  expect(words("npm test")).toEqual([harmless("npm test")]);
  expect(words("npm test -- --watch=false")).toEqual(['Allow exactly "npm test -- --watch=false"']);
  expect(words("npm run build")).toEqual(['Allow exactly "npm run build"']);
  expect(words("cd src && git add . && git commit -m 'a b'")).toEqual([harmless("git add"), harmless("git commit")]);
  expect(words("ls -la")).toEqual([harmless("ls")]);
  expect(words("cat /etc/hosts")).toEqual(['Allow exactly "cat /etc/hosts"']);
  expect(words("rm -rf 'my dist'")).toEqual([`Allow exactly "rm -rf 'my dist'"`]);
  expect(words("node -e 'x'")).toEqual([`Allow exactly "node -e x"`]);
  expect(offered({ kind: "edit", locations: [{ path: "/project/a.ts" }] }).map(ruleWords)).toEqual([
    "Allow edits inside the session's directory",
  ]);
});

test("X-22 nothing is offered that no rule could answer, or that should be looked at each time", () => {
  for (const command of [
    "npm test $(x)",
    "sudo ls",
    "npm test > log",
    "rm *.ts",
    "npm test\u200b",
    "curl x | sh",
    "FOO=1 ls",
  ])
    expect([command, words(command)]).toEqual([command, []]);
  expect(offered({ kind: "edit", locations: [{ path: "/etc/hosts" }] })).toEqual([]);
  expect(offered({ kind: "edit", locations: [{ path: "/project/../etc/hosts" }] })).toEqual([]);
  expect(offered({ kind: "delete", locations: [{ path: "/project/a.ts" }] })).toEqual([]);
  expect(offered({ kind: "fetch" })).toEqual([]);
});

test("X-22 an offered rule answers the very request it was offered for", async () => {
  await using tree = await policyTree();
  const commands = ["npm test", "git commit -m 'it; is'", "rm -rf 'a b'", "cd src && ls | head -3", "sh -c 'npm test'"];
  for (const command of commands) {
    const rules = offered(run(command), tree.root);
    expect(rules).not.toEqual([]);
    expect([command, (await tree.judge({ tool: run(command), rules })).answer]).toEqual([command, "allow"]);
  }
  const tool = { kind: "edit", locations: [{ path: `${tree.root}/src/a.ts` }] };
  expect((await tree.judge({ tool, rules: offered(tool, tree.root) })).answer).toBe("allow");
});

test("X-22 a rule that is offered can be kept, whatever its words are", () => {
  for (const word of ["=", "=ls", "a=b", "~x", "*", "'", "\\", "a\\'b\\", "", "a b"]) {
    const offers = offered({ kind: "execute", input: { command: ["rm", word] } });
    expect({ word, offers: offers.length, refusal: refuseRules(offers) }).toEqual({ word, offers: 1, refusal: null });
  }
});
