import { TaskQueue } from "../../lib/task-queue.ts";
import type { PermissionRecord, PolicyStore, StoredPolicy } from "../../ports/policy-store.ts";
import type { ProjectStore } from "../../ports/project-store.ts";
import type { RealPaths } from "../../ports/real-path.ts";
import type { SessionLog } from "../../ports/session-log.ts";
import { isoTime, type World } from "../../ports/world.ts";
import type { ClientMessage } from "../../protocol/client-messages.ts";
import { REFUSE } from "../../protocol/errors.ts";
import { type CliType, cliTypeOf, type SessionId } from "../../protocol/ids.ts";
import type { Json } from "../../protocol/json.ts";
import {
  type AuditEntry,
  PermissionMode,
  type PolicyRule,
  type PreviewItem,
  RULES_MAX,
  type RuleDraft,
  StartingPolicy,
  StoredRule,
} from "../../protocol/permission-policy.ts";
import { pathThere, splitPlace } from "../../protocol/place-path.ts";
import type { PlainServerMessage } from "../../protocol/server-messages.ts";
import type { PermissionToolCall } from "../../protocol/session-parts.ts";
import { OWN_TOOL_SERVER } from "../../protocol/tool-server.ts";
import type { Answer } from "../answer.ts";
import { coversTool, type McpTool, mcpToolOf } from "./mcp-tool.ts";
import { describeRequest, subjectWords } from "./permission-subject.ts";
import { isPlain, type Policy, reasonOf, strictest, type Verdict } from "./policy.ts";
import { type FoundOwner, isRefusal, PolicyLayers } from "./policy-layers.ts";
import { oddityOf } from "./subject-oddity.ts";

/** Loaded with the first request or change of a policy, in that step (decision 149). */
const LATER = {
  evaluation: (): typeof import("./evaluate-policy.ts") => require("./evaluate-policy.ts"),
  offers: (): typeof import("./offer-rules.ts") => require("./offer-rules.ts"),
  commands: (): typeof import("./read-command.ts") => require("./read-command.ts"),
};

const RECORDS_SHOWN_DEFAULT = 50;
const RECORDS_SHOWN_MAX = 200;

export type PolicyMessage = Extract<ClientMessage, { type: `policy:${string}` }>;

interface PolicyServiceDeps {
  readonly world: World;
  readonly log: SessionLog;
  readonly projects: ProjectStore;
  readonly store: PolicyStore;
  readonly paths: RealPaths;
  readonly startingMode: (cliType: CliType) => PermissionMode | null;
  /** Whether agents of this kind are offered our own tools, so that requests under their name are about them. */
  readonly hasOwnTools: (cliType: CliType) => boolean;
  /** Directories that no policy lets an agent write to. */
  readonly guarded: readonly string[];
}

/** The part of a session that its policy needs. */
export interface EvaluatedSession {
  readonly id: SessionId;
  readonly cwd: string;
}

/** What is known about a request before anything is looked up. */
export interface Consideration {
  /** Something was set, so the policy is evaluated before the user is asked. */
  readonly decides: boolean;
  readonly note?: string;
  readonly offers?: RuleDraft[];
}

/** Paths of another machine cannot be resolved here, so nothing is allowed by location. */
const PATHS_ELSEWHERE: RealPaths = { placesOf: async () => null, isFile: async () => true };

/** What is allowed without asking: modes and rules, their answers, and the history of answers. */
export class PolicyService {
  readonly #deps: PolicyServiceDeps;
  readonly #layers: PolicyLayers;
  /** Changes are serialized, because each builds on the stored state. */
  readonly #changes = new TaskQueue();

  constructor(deps: PolicyServiceDeps) {
    this.#deps = deps;
    this.#layers = new PolicyLayers(deps);
  }

  /** The policies of a session: its own first, then those of its ancestors. */
  policiesOver(sessionId: SessionId): Promise<readonly Policy[]> {
    return this.#layers.policiesOver(sessionId);
  }

  consider({ id, cwd }: EvaluatedSession, toolCall: PermissionToolCall, policies: readonly Policy[]): Consideration {
    const subject = describeRequest(toolCall, pathThere(cwd));
    const note = oddityOf(subject);
    const offers = LATER.offers().offerRules(subject);
    return {
      decides: this.#isOwnTool(id, subject.tool) || policies.some((policy) => !isPlain(policy)),
      ...(note !== null && { note }),
      ...(offers.length > 0 && { offers: [...offers] }),
    };
  }

  async evaluate({ id, cwd }: EvaluatedSession, toolCall: PermissionToolCall): Promise<Verdict> {
    const policies = await this.#layers.policiesOver(id);
    const verdict = strictest(await Promise.all(policies.map((policy) => this.#evaluate(policy, cwd, toolCall))));
    if (verdict.answer !== "ask" || !this.#isOwnTool(id, mcpToolOf(toolCall))) return verdict;
    // Their permissions are checked when they act: by the caller's rights, and by the limits and budgets of its tree.
    return { answer: "allow", why: "A Liminal Builder tool" };
  }

  /** What a session may do without asking: its own mode, or a stricter one above it. */
  async modeOf(sessionId: SessionId): Promise<PermissionMode> {
    const modes = (await this.#layers.policiesOver(sessionId)).map(({ mode }) => mode);
    return PermissionMode.options.find((mode) => modes.includes(mode)) ?? "ask";
  }

  /**
   * What a session may let a child do without asking. Denying rules reach only an agent that asks: if there is one, the
   * child has to ask, whatever the mode. Rules about our own tools are enforced by these and leave the mode unchanged.
   */
  async modeToGive(sessionId: SessionId): Promise<PermissionMode> {
    const isOwn = ({ tool }: PolicyRule) => tool?.startsWith(`mcp:${OWN_TOOL_SERVER}/`) ?? false;
    return (await this.#rulesThatDeny(sessionId)).every(isOwn) ? this.modeOf(sessionId) : "ask";
  }

  /** Why a session may not use one of our own tools; null if no rule forbids it. Not every agent asks first. */
  async ownToolDenial(sessionId: SessionId, tool: string): Promise<string | null> {
    const rules = await this.#rulesThatDeny(sessionId);
    const rule = rules.find((one) => coversTool(one.tool, { server: OWN_TOOL_SERVER, tool }));
    return rule ? reasonOf(rule) : null;
  }

  async #rulesThatDeny(sessionId: SessionId) {
    const now = Date.parse(isoTime(this.#deps.world));
    const policies = await this.#layers.policiesOver(sessionId);
    return policies
      .flatMap(({ rules }) => rules)
      .filter(({ effect, expiresAt }) => effect === "deny" && (expiresAt === undefined || Date.parse(expiresAt) > now));
  }

  /** A session that continues another one of the same agent has the same permissions. */
  async copy(from: SessionId, to: SessionId): Promise<void> {
    const [source, target] = await Promise.all(
      [from, to].map((sessionId) => this.#layers.find({ scope: "session", sessionId })),
    );
    if (!source || !target || isRefusal(source) || isRefusal(target)) return;
    const { mode, rules } = await this.#layers.read(source);
    if (mode === null && rules.length === 0) return;
    const own = rules.map(({ id: _, ...rule }) => this.#kept(rule));
    await this.#layers.write(target, { mode, rules: own });
  }

  /** Sets the initial policy of a new session, before its agent can request anything. */
  async start(sessionId: SessionId, given: Json | undefined): Promise<void> {
    const policy = StartingPolicy.safeParse(given).data;
    const found = await this.#layers.find({ scope: "session", sessionId });
    if (policy === undefined || isRefusal(found)) return;
    const { mode = null, rules = [] } = typeof policy === "string" ? { mode: policy } : policy;
    await this.#layers.write(found, { mode, rules: rules.map((rule) => this.#kept(rule)) });
  }

  async answer(message: PolicyMessage): Promise<Answer> {
    const found = await this.#layers.find(message);
    if (isRefusal(found)) return { kind: "refused", refusal: found };
    switch (message.type) {
      case "policy:get":
        return reply(await this.#state(found));
      case "policy:set":
        return this.#changes.run(() => this.#set(found, message));
      case "policy:preview":
        return reply({ type: "policy:previewed", ...found.owner, items: await this.#preview(found, message) });
      case "policy:audit":
        return reply({ type: "policy:audit", ...found.owner, entries: await this.#audit(found, message.limit) });
      default:
        return message satisfies never;
    }
  }

  #isOwnTool(id: SessionId, tool: McpTool | null): boolean {
    return tool?.server === OWN_TOOL_SERVER && this.#deps.hasOwnTools(cliTypeOf(id));
  }

  #evaluate(policy: Policy, cwd: string, toolCall: PermissionToolCall): Promise<Verdict> {
    const { world, guarded, paths } = this.#deps;
    const subject = describeRequest(toolCall, pathThere(cwd));
    return LATER.evaluation().evaluateRequest(
      { subject, policy, now: isoTime(world), guarded },
      splitPlace(cwd) ? PATHS_ELSEWHERE : paths,
    );
  }

  async #state(found: FoundOwner): Promise<PlainServerMessage> {
    const { mode, rules } = await this.#layers.read(found);
    const inherited = await this.#layers.inheritedMode(found);
    return { type: "policy:state", ...found.owner, mode, inherited, rules: [...rules] };
  }

  async #set(found: FoundOwner, change: Extract<PolicyMessage, { type: "policy:set" }>): Promise<Answer> {
    const refusal = LATER.commands().refuseRules([...(change.rules ?? []), ...(change.add ?? [])]);
    if (refusal) return { kind: "refused", refusal };
    const next = this.#changed(await this.#layers.read(found), change);
    if (next.rules.length > RULES_MAX)
      return { kind: "refused", refusal: REFUSE.limitExceeded("rules in one place", RULES_MAX) };
    await this.#layers.write(found, next);
    return { kind: "message", message: await this.#state(found), published: true };
  }

  #changed(now: StoredPolicy, change: Extract<PolicyMessage, { type: "policy:set" }>): StoredPolicy {
    const { mode = now.mode, rules, add = [], remove = [] } = change;
    const base = rules?.map((rule) => this.#kept(rule)) ?? now.rules;
    const kept = base.filter(({ id }) => !remove.includes(id));
    const added = add.filter((rule) => !kept.some((known) => isSameRule(known, rule)));
    return { mode, rules: [...kept, ...added.map((rule) => this.#kept(rule))] };
  }

  #kept(rule: RuleDraft): PolicyRule {
    return { ...rule, id: this.#deps.world.newId(), createdAt: isoTime(this.#deps.world) };
  }

  #records(
    found: FoundOwner,
    onlyAutomatic: boolean,
    limit = RECORDS_SHOWN_DEFAULT,
  ): Promise<readonly PermissionRecord[]> {
    const { sessionId, projectId, cliType } = found.owner;
    return this.#deps.store.records({
      ...(sessionId !== undefined && { sessionId }),
      ...(projectId !== undefined && { projectId }),
      ...(cliType !== undefined && { cliType }),
      onlyAutomatic,
      limit: Math.min(limit, RECORDS_SHOWN_MAX),
    });
  }

  async #preview(found: FoundOwner, { mode, rules = [], limit }: Extract<PolicyMessage, { type: "policy:preview" }>) {
    const tried = rules.map((rule) => ({ ...this.#kept(rule), scope: found.owner.scope }));
    const records = await this.#records(found, false, limit);
    return Promise.all(
      records.map(async (record): Promise<PreviewItem> => {
        const policy = await this.#layers.policyOf(record.sessionId);
        const next = { ...policy, mode: mode ?? policy.mode, rules: [...policy.rules, ...tried] };
        const { answer, why } = await this.#evaluate(next, record.cwd, record.toolCall);
        const present = await this.#evaluate(policy, record.cwd, record.toolCall);
        const { sessionId, permissionId, askedAt, answered, by } = record;
        return {
          ...{ sessionId, permissionId, askedAt, ...whatOf(record), would: answer, why },
          differs: present.answer !== answer,
          ...(answered !== null && { answered }),
          ...(by !== null && { by }),
        };
      }),
    );
  }

  async #audit(found: FoundOwner, limit: number | undefined): Promise<AuditEntry[]> {
    return (await this.#records(found, true, limit)).map((record) => {
      const { sessionId, permissionId, askedAt, answered, at, why } = record;
      const answer = answered === "denied" ? "denied" : "allowed";
      return { sessionId, permissionId, at: at ?? askedAt, answer, why: why ?? "", ...whatOf(record) };
    });
  }
}

function reply(message: PlainServerMessage): Answer {
  return { kind: "message", message, published: false };
}

function whatOf({ toolCall, cwd }: PermissionRecord): { what: string; kind?: string } {
  const subject = describeRequest(toolCall, cwd);
  return { what: subjectWords(subject), ...(toolCall.kind !== undefined && { kind: toolCall.kind }) };
}

function isSameRule(known: PolicyRule, rule: RuleDraft): boolean {
  return JSON.stringify(StoredRule.parse(known)) === JSON.stringify(StoredRule.parse(rule));
}
