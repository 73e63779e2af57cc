import { mkdir, symlink, writeFile } from "node:fs/promises";
import type { PermissionMode, RuleDraft } from "../../src/protocol/permission-policy.ts";
import { PermissionToolCall } from "../../src/protocol/session-parts.ts";
import { evaluateRequest } from "../../src/sessions/policy/evaluate-policy.ts";
import { describeRequest } from "../../src/sessions/policy/permission-subject.ts";
import type { ScopedRule, Verdict } from "../../src/sessions/policy/policy.ts";
import { DiskRealPaths } from "../../src/workspace/real-paths.ts";
import { tempDir } from "../support/temp-dir.ts";

const NOW = "2026-06-01T00:00:00Z";

interface Asked {
  readonly tool: object;
  readonly mode?: PermissionMode;
  readonly rules?: readonly RuleDraft[];
}

/** A session's directory on a real disk, with links that stay in it and links that leave it. */
export interface PolicyTree extends AsyncDisposable {
  readonly root: string;
  judge(asked: Asked): Promise<Verdict>;
}

export async function policyTree(): Promise<PolicyTree> {
  const dir = await tempDir();
  const root = dir.join("root");
  const outside = dir.join("outside");
  for (const folder of ["src", "docs", "secrets", ".git/hooks", "own-data"])
    await mkdir(`${root}/${folder}`, { recursive: true });
  await mkdir(outside);
  await writeFile(`${outside}/file`, "");
  await writeFile(`${root}/src/a.ts`, "");
  const links = {
    link: outside,
    "file-link": "../outside/file",
    dangling: "../outside/not-there-yet",
    "link-to-link": "link",
    loop: "loop",
    "inner-link": "src",
    "docs/out": "../../outside",
    "secrets-link": "secrets",
  };
  for (const [name, target] of Object.entries(links)) await symlink(target, `${root}/${name}`);
  const paths = new DiskRealPaths();
  const place = <Value>(value: Value): Value =>
    JSON.parse(JSON.stringify(value).replaceAll("{root}", root).replaceAll("{outside}", outside));
  return {
    root,
    judge({ tool, mode = "ask", rules = [] }) {
      const toolCall = PermissionToolCall.parse({ toolCallId: "call", name: "Tool", ...place(tool) });
      const scoped = place(rules).map(
        (rule, index): ScopedRule => ({
          ...rule,
          id: `rule-${index}`,
          createdAt: NOW,
          scope: index % 2 === 0 ? "session" : "project",
        }),
      );
      const policy = { mode, modeFrom: "session", rules: scoped } as const;
      const subject = describeRequest(toolCall, root);
      return evaluateRequest({ subject, policy, now: NOW, guarded: [`${root}/own-data`] }, paths);
    },
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  };
}
