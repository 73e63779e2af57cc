import { z } from "zod";
import type { Hub } from "../../fanout/hub.ts";
import { Budget, ChildStatus } from "../../protocol/delegation.ts";
import { type CliType, type CommandId, cliTypeOf, type ProjectId, SessionId } from "../../protocol/ids.ts";
import { Json } from "../../protocol/json.ts";
import { PATH_CHARS_MAX } from "../../protocol/limits.ts";
import { RuleDraft, StartingPolicy } from "../../protocol/permission-policy.ts";
import type { AgentInfo } from "../../protocol/server-messages.ts";
import type { Answer } from "../../sessions/answer.ts";
import { type Delegations, isRefusal } from "../../sessions/delegation/delegations.ts";
import type { SessionService } from "../../sessions/session-service.ts";
import type { ProjectService } from "../../workspace/project-service.ts";
import { refusePolicy, restrictStartingMode, setOption } from "../child-rights.ts";
import { armWait, authorFor, type Caller, defineTool, refuseVisibly, refuseWake, type ToolContext } from "../tool.ts";
import { accepted, refusedBy, ToolError } from "../tool-error.ts";

const PLAN_CHARS_MAX = 200_000;

/** Described here for callers; what they give is read by the schema that all policies are read by. */
const Mode = z.enum(["ask", "edits", "all"]);
const PolicyInput = z.union(
  [Mode, z.strictObject({ mode: Mode.optional(), rules: z.array(z.looseObject({})).optional() })],
  {
    error: "expected ask, edits or all, or an object with mode and rules",
  },
);
const BudgetInput = z.strictObject({
  turns: z.int().min(1).optional(),
  tokens: z.int().min(1).optional(),
  cost: z.number().positive().optional(),
  workMs: z.int().min(1).optional(),
});

const input = {
  plan: z
    .string()
    .max(PLAN_CHARS_MAX)
    .optional()
    .describe("The task. The agent starts on it immediately; without a plan it waits for a prompt."),
  agent: z
    .string()
    .max(64)
    .optional()
    .describe("Agent id, such as claude-code. Default: the agent the user uses here."),
  project: z.string().max(PATH_CHARS_MAX).optional().describe("Project directory or id. Default: your own project."),
  model: z.string().max(200).optional().describe("One of the agent's models."),
  mode: z.string().max(200).optional().describe("One of the agent's modes."),
  policy: PolicyInput.optional().describe(
    "What it may do without asking: ask, edits or all; never more than your own policy.",
  ),
  title: z.string().trim().min(1).max(200).optional(),
  budget: BudgetInput.optional().describe("Budget for it and all its descendants: turns, tokens, cost, workMs."),
  wake: z.boolean().optional().describe("Wake this session with a digest when the agent has finished."),
};

type Input = z.infer<z.ZodObject<typeof input>>;

export const createCodingAgent = defineTool({
  name: "create_coding_agent",
  title: "Create a coding agent",
  description:
    "Starts another coding agent as a child of this session and, if given a plan, sends it that task. Returns as soon as the agent exists; " +
    "use wait_for_agents to wait for it and get_agent_output to read its output.",
  input,
  output: { agentId: z.string(), status: z.string() },
  run: async (context, { plan, ...rest }) => {
    // Callers that fill in every field mean none by an empty one.
    const given = { ...rest, ...(plan?.trim() && { plan }) };
    refuseWake(context.caller, given.wake);
    const planId = context.commandId("plan");
    const isSent = planId !== undefined && (await context.sessions.isDone(planId));
    const place = given.plan === undefined || isSent ? null : context.delegations.admitTurn(context.owner);
    if (place && isRefusal(place)) throw await refuseVisibly(context, place);
    try {
      const agentId = await create(context, given);
      await setToWork(context, agentId, given, planId);
      if (given.wake) await armWait(context, [agentId], "all");
      return { agentId, status: ChildStatus.parse((await context.children.info(agentId)).status) };
    } finally {
      place?.[Symbol.dispose]();
    }
  },
});

async function create(context: ToolContext, given: Input): Promise<SessionId> {
  const { owner, sessions } = context;
  const { title } = given;
  const policy = readPolicy(given.policy);
  await refusePolicy(context, policy);
  // Before a project is added for it: a call that is refused leaves nothing.
  const named = given.agent === undefined ? null : namedAgent(context, given.agent);
  const projectId = await chooseProject(context, given.project);
  const cliType = named ?? (await usualAgent(context, projectId));
  const make = (commandId: CommandId | undefined) =>
    sessions.create(
      {
        type: "session:create",
        projectId,
        cliType,
        ...(title !== undefined && { title }),
        ...(policy !== undefined && { options: { policy: Json.parse(policy) } }),
        ...(commandId !== undefined && { commandId }),
      },
      { by: owner, budget: Budget.parse(given.budget ?? {}) },
    );
  const answer = await makeSurely(context, cliType, make);
  if (answer.kind === "refused") throw await refuseVisibly(context, answer.refusal);
  return createdId(answer);
}

/** A process that stops right now is started again by itself: the caller need not know, and could do nothing but call again. */
async function makeSurely(
  { agents, sessions, commandId }: ToolContext,
  cliType: CliType,
  make: (commandId: CommandId | undefined) => Promise<Answer>,
): Promise<Answer> {
  const wasThere = agents().some(({ id, status }) => id === cliType && status === "connected");
  const first = await make(commandId("create"));
  if (first.kind !== "refused" || first.refusal.code !== "AGENT_UNAVAILABLE") return first;
  const againId = commandId("create-again");
  const wasMadeAgain = againId !== undefined && (await sessions.isDone(againId));
  return wasThere || wasMadeAgain ? make(againId) : first;
}

function readPolicy(given: Input["policy"]): StartingPolicy | undefined {
  const parsed = StartingPolicy.safeParse(given);
  if (given === undefined || parsed.success) return parsed.data;
  const rules = typeof given === "string" ? [] : (given.rules ?? []);
  for (const [at, rule] of rules.entries()) {
    const issue = RuleDraft.safeParse(rule).error?.issues[0];
    if (issue) throw new ToolError(`policy: ${["rules", at, ...issue.path].join(".")}: ${issue.message}`);
  }
  throw new ToolError("policy: expected ask, edits or all, or an object with mode and rules.");
}

/** A choice the agent does not offer, and a plan it is not given, leave no half-made agent behind. */
async function setToWork(
  context: ToolContext,
  agentId: SessionId,
  { model, mode, plan }: Input,
  commandId: CommandId | undefined,
): Promise<void> {
  try {
    // The model first: what modes there are may depend on it.
    if (model !== undefined) await setOption(context, agentId, "model", model);
    if (mode === undefined) await restrictStartingMode(context, agentId);
    else await setOption(context, agentId, "mode", mode);
    if (plan === undefined) return;
    const send = { type: "session:send", sessionId: agentId, content: plan, author: authorFor(context) } as const;
    accepted(await context.sessions.execute({ ...send, ...(commandId !== undefined && { commandId }) }));
  } catch (error) {
    if (error instanceof ToolError) await context.sessions.execute({ type: "session:archive", sessionId: agentId });
    throw error;
  }
}

function createdId(answer: Answer): SessionId {
  const told = answer.kind === "message" || answer.kind === "repeated" ? answer.message : {};
  return SessionId.parse(Reflect.get(told, "sessionId"));
}

interface AgentChoice {
  readonly caller: Caller;
  readonly agents: () => readonly AgentInfo[];
  readonly sessions: SessionService;
  readonly delegations: Delegations;
}

/** It gives work to others rather than doing it: unless told otherwise, to the agent that the user works with. */
const ORCHESTRATOR = "builtin";

/** By id or name. */
function namedAgent({ agents }: Pick<AgentChoice, "agents">, wanted: string): CliType {
  const found = agents().find(({ id, name }) => id === wanted || name.toLowerCase() === wanted.toLowerCase());
  if (found) return found.id;
  throw new ToolError(`Unknown agent "${wanted}". Available: ${readyOnes(agents()).join(", ")}.`);
}

/**
 * For a caller that names none: its own kind. The orchestrator and programs outside get the agent that the user last worked with in
 * the project; without one, the orchestrator gets its own kind, and a program the first that is ready.
 */
async function usualAgent(choice: AgentChoice, projectId: ProjectId): Promise<CliType> {
  const own = choice.caller === null ? null : cliTypeOf(choice.caller);
  if (own !== null && own !== ORCHESTRATOR) return own;
  const ready = readyOnes(choice.agents());
  const chosen = (await lastUsed(choice, projectId, ready)) ?? own ?? ready[0];
  if (chosen !== undefined) return chosen;
  throw new ToolError("No agent is ready. Install one or sign in to one first.");
}

function readyOnes(agents: readonly AgentInfo[]): readonly CliType[] {
  return agents.flatMap(({ id, availability }) => (availability === "ready" ? [id] : []));
}

/** What agents and programs have started says nothing about what the user likes. */
async function lastUsed(
  choice: AgentChoice,
  projectId: ProjectId,
  ready: readonly CliType[],
): Promise<CliType | undefined> {
  const { sessions, delegations } = choice;
  return ((await sessions.list(projectId, true)) ?? [])
    .filter(({ cliType }) => cliType !== ORCHESTRATOR && ready.includes(cliType))
    .filter(({ id }) => delegations.parentOf(id) === undefined)
    .toSorted((one, other) => other.lastActiveAt.localeCompare(one.lastActiveAt))[0]?.cliType;
}

interface ProjectChoice {
  readonly caller: Caller;
  readonly sessions: SessionService;
  readonly projects: ProjectService;
  readonly hub: Hub;
}

/** A session's agents work in its own project, where its rights hold; a program outside says where. */
async function chooseProject(choice: ProjectChoice, wanted: string | undefined): Promise<ProjectId> {
  const { caller, projects, sessions, hub } = choice;
  const known = projects.list().find(({ id, path }) => id === wanted || path === wanted);
  if (caller !== null) {
    const own = (await sessions.view(caller))?.row.projectId;
    if (own !== undefined && (wanted === undefined || known?.id === own)) return own;
    throw new ToolError("project: child agents work in this session's project. Omit project.");
  }
  if (wanted === undefined) throw new ToolError("project: required; pass a full directory path or a project id.");
  if (known) return known.id;
  const added = await projects.add(wanted);
  if (added.ok) {
    hub.publish({ type: "project:added", project: added.project });
    return added.project.id;
  }
  const same = added.refusal.code === "PROJECT_DUPLICATE" ? await projects.find(wanted) : null;
  if (same) return same.id;
  throw refusedBy(added.refusal);
}
