import { CliType } from "../protocol/ids.ts";
import { PermissionMode, RuleDraft } from "../protocol/permission-policy.ts";
import { MODE_WORDS, ruleWords } from "../protocol/rule-words.ts";
import type { PlainServerMessage } from "../protocol/server-messages.ts";
import { type CommandLine, wrongSubcommand, wrongUsage } from "./command-line.ts";
import { CliError, EXIT, type ExitCode } from "./exit-codes.ts";
import { findProject } from "./find-project.ts";
import { findSession } from "./find-session.ts";
import { print } from "./print.ts";
import { connect, type ServerLink } from "./server-link.ts";

type PolicyState = Extract<PlainServerMessage, { type: "policy:state" }>;
const VERBS = ["list", "mode", "allow", "deny", "remove"];

/** `rules`: what agents may do without asking, for a project, an agent or a session. */
export async function rules(line: CommandLine): Promise<ExitCode> {
  const [verb = "list", value, ...more] = line.args;
  if (!VERBS.includes(verb) || more.length > 0) throw wrongSubcommand(line, VERBS);
  using link = await connect(line.env);
  const of = await scopeOf(line, link);
  const now = await link.ask("policy:state", { type: "policy:get", ...of });
  const change = changeOf(line, verb, value, now);
  const state = change === null ? now : await link.ask("policy:state", { type: "policy:set", ...of, ...change });
  const { scope, mode, inherited, rules: known } = state;
  print(line, { scope, mode, inherited, rules: known }, shown(state));
  return EXIT.done;
}

async function scopeOf(line: CommandLine, link: ServerLink) {
  const [session, agent] = [line.text("session"), line.text("agent")];
  if (session !== undefined) return { scope: "session", sessionId: await findSession(link, session) } as const;
  if (agent === undefined)
    return { scope: "project", projectId: findProject(link, line.text("project") ?? ".").id } as const;
  const cliType = CliType.safeParse(agent);
  if (!cliType.success) throw wrongUsage(line, `No agent "${agent}". List agents with: liminal agents`);
  return { scope: "agent", cliType: cliType.data } as const;
}

function changeOf(line: CommandLine, verb: string, value: string | undefined, { rules: known }: PolicyState) {
  switch (verb) {
    case "mode": {
      const mode = value === "inherit" ? null : PermissionMode.safeParse(value).data;
      if (mode === undefined) throw wrongUsage(line, "mode: expected ask, edits, all or inherit.");
      return { mode };
    }
    case "allow":
    case "deny": {
      const [command, path, kind, tool] = ["command", "path", "kind", "tool"].map((name) => line.text(name));
      const draft = RuleDraft.safeParse({
        effect: verb,
        ...(command !== undefined && { command }),
        ...(path !== undefined && { path }),
        ...(kind !== undefined && { kind }),
        ...(tool !== undefined && { tool }),
        ...(line.has("exact") && { exact: true }),
      });
      if (draft.success) return { add: [draft.data] };
      throw wrongUsage(line, `${draft.error.issues[0]?.message ?? "This is no rule"}.`);
    }
    case "remove": {
      const found = known.filter(({ id }) => value !== undefined && id.startsWith(value));
      if (found.length !== 1)
        throw new CliError(
          EXIT.failed,
          `"${value ?? ""}" names ${found.length} rules. List them with: liminal rules`,
          "RULE_NOT_FOUND",
        );
      return { remove: found.map(({ id }) => id) };
    }
    default:
      return null;
  }
}

function shown({ mode, inherited, rules: known }: PolicyState): string {
  const words = mode === null ? `${MODE_WORDS[inherited]} (inherited)` : MODE_WORDS[mode];
  return [`Mode: ${words}`, ...known.map((rule) => `${rule.id}  ${ruleWords(rule)}`)].join("\n");
}
