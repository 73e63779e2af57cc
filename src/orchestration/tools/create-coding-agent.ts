import { z } from "zod";
import type { Hub } from "../../fanout/hub.ts";
import { type Attempt, AttemptGroupId } from "../../protocol/attempt-ref.ts";
import { Budget, ChildStatus } from "../../protocol/delegation.ts";
import { type CliType, type CommandId, cliTypeOf, type ProjectId, SessionId } from "../../protocol/ids.ts";
import { Json } from "../../protocol/json.ts";
import { PATH_CHARS_MAX } from "../../protocol/limits.ts";
import { RuleDraft, StartingPolicy } from "../../protocol/permission-policy.ts";
import type { AgentInfo, Project } from "../../protocol/server-messages.ts";
import { BRANCH_CHARS_MAX, type NewWorktree } from "../../protocol/worktrees.ts";
import type { Answer } from "../../sessions/answer.ts";
import { type Delegations, isRefusal } from "../../sessions/delegation/delegations.ts";
import type { SessionService } from "../../sessions/session-service.ts";
import type { ProjectService } from "../../workspace/project-service.ts";
import { agentsAt } from "../agents-at.ts";
import { refusePolicy, restrictStartingMode, setOption } from "../child-rights.ts";
import { armWait, authorFor, type Caller, defineTool, refuseVisibly, refuseWake, type ToolContext } from "../tool.ts";
import { accepted, refusedBy, ToolError } from "../tool-error.ts";

const PLAN_CHARS_MAX = 200_000;
const BranchInput = z.string().trim().min(1).max(BRANCH_CHARS_MAX);

/** Described here for callers; the values are parsed by the schema of all policies. */
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
  worktree: z
    .union([z.boolean(), z.strictObject({ base: BranchInput.optional(), branch: BranchInput.optional() })], {
      error: "expected true, false, or an object with base and branch",
    })
    .optional()
    .describe(
      "Gives it a worktree and branch of its own, so that agents who work at the same time do not change each other's files. true, or an object with base (branch, tag or commit to start from) and branch (name of the new branch). Default: it works in the project's directory.",
    ),
  attempt: z
    .strictObject({ group: z.string().trim().min(1).max(100), number: z.int().min(1).max(100) })
    .optional()
    .describe(
      "One of several attempts at the same task: agents with the same group are shown to the user side by side, and the user keeps one. Each needs a worktree of its own.",
    ),
  wake: z.boolean().optional().describe("Wake this session with a digest when the agent has finished."),
};

type Input = z.infer<z.ZodObject<typeof input>>;

export const createCodingAgent = defineTool({
  name: "create_coding_agent",
  title: "Create a coding agent",
  needs: "work",
  description:
    "Starts another coding agent as a child of this session and, if given a plan, sends it that task. Returns as soon as the agent exists; " +
    "use wait_for_agents to wait for it and get_agent_output to read its output.",
  input,
  output: {
    agentId: z.string(),
    status: z.string(),
    worktree: z.looseObject({ branch: z.string(), path: z.string() }).optional(),
  },
  run: async (context, { plan, ...rest }) => {
    // Callers that fill in every field mean none by an empty one.
    const given = { ...rest, ...(plan?.trim() && { plan }) };
    refuseWake(context.caller, given.wake);
    const planId = context.commandId("plan");
    const isSent = planId !== undefined && (await context.sessions.isDone(planId));
    const place = given.plan === undefined || isSent ? null : await context.delegations.admitTurn(context.owner, null);
    if (place && isRefusal(place)) throw await refuseVisibly(context, place);
    try {
      const agentId = await create(context, given);
      if (place) place.child = agentId;
      await setToWork(context, agentId, given, planId);
      if (given.wake) await armWait(context, [agentId], "all");
      const { row, binding } = await context.children.find(agentId);
      return {
        agentId,
        status: ChildStatus.parse((await context.children.info(agentId)).status),
        ...(row.worktree && { worktree: { branch: row.worktree.branch, path: binding.cwd } }),
      };
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
  // Before a project is added for it: a refused call changes nothing.
  const named = given.agent === undefined ? null : namedAgent(context, given.agent);
  const projectId = await chooseProject(context, given.project);
  const cliType = named ?? (await usualAgent(context, projectId));
  const worktree = newWorktree(given.worktree);
  const attempt = attemptOf(context, given);
  const make = (commandId: CommandId | undefined) =>
    sessions.create(
      {
        type: "session:create",
        projectId,
        cliType,
        ...(title !== undefined && { title }),
        ...(worktree && { worktree: { create: worktree } }),
        ...(attempt && { attempt }),
        ...(policy !== undefined && { options: { policy: Json.parse(policy) } }),
        ...(commandId !== undefined && { commandId }),
      },
      { by: owner, budget: Budget.parse(given.budget ?? {}) },
    );
  const answer = await makeSurely(context, cliType, make);
  if (answer.kind === "refused") throw await refuseVisibly(context, answer.refusal);
  return createdId(answer);
}

/** A group belongs to the session or program that names it. */
function attemptOf({ caller }: Pick<ToolContext, "caller">, { attempt, worktree }: Input): Attempt | null {
  if (attempt === undefined) return null;
  if (!worktree) throw new ToolError("attempt: each attempt needs a worktree of its own. Pass worktree: true.");
  return { groupId: AttemptGroupId.parse(`${caller ?? "program"} ${attempt.group}`), number: attempt.number };
}

function newWorktree(given: Input["worktree"]): NewWorktree | null {
  if (!given) return null;
  const { base, branch } = given === true ? {} : given;
  return { ...(base !== undefined && { base }), ...(branch !== undefined && { branch }) };
}

/** A process that is just stopping restarts by itself; the caller could only repeat the call. */
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

/** If the agent does not offer the requested option or plan, the new agent is removed. */
async function setToWork(
  context: ToolContext,
  agentId: SessionId,
  { model, mode, plan }: Input,
  commandId: CommandId | undefined,
): Promise<void> {
  try {
    // The model first: the available modes may depend on it.
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

interface AgentChoice extends Pick<ToolContext, "agents" | "hasCommandAt" | "projects"> {
  readonly caller: Caller;
  readonly sessions: SessionService;
  readonly delegations: Delegations;
}

/** It delegates work: by default to the agent that the user works with. */
const ORCHESTRATOR = "builtin";

/** By id or name. */
function namedAgent({ agents }: Pick<AgentChoice, "agents">, wanted: string): CliType {
  const found = agents().find(({ id, name }) => id === wanted || name.toLowerCase() === wanted.toLowerCase());
  if (found) return found.id;
  throw new ToolError(`Unknown agent "${wanted}". Available: ${readyOnes(agents()).join(", ")}.`);
}

/**
 * For a caller that names none: its own kind. The orchestrator and external programs get the agent that the user last
 * used in
 * the project; without one, the orchestrator gets its own kind, and a program the first that is ready.
 */
async function usualAgent(choice: AgentChoice, projectId: ProjectId): Promise<CliType> {
  const own = choice.caller === null ? null : cliTypeOf(choice.caller);
  if (own !== null && own !== ORCHESTRATOR) return own;
  const directory = choice.projects.list().find(({ id }) => id === projectId)?.path;
  const ready = readyOnes(agentsAt(choice, directory));
  const chosen = (await lastUsed(choice, projectId, ready)) ?? own ?? ready[0];
  if (chosen !== undefined) return chosen;
  throw new ToolError("No agent is ready. Install one or sign in to one first.");
}

function readyOnes(agents: readonly AgentInfo[]): readonly CliType[] {
  return agents.flatMap(({ id, availability }) => (availability === "ready" ? [id] : []));
}

/** Sessions started by agents and programs do not show what the user prefers. */
async function lastUsed(
  choice: AgentChoice,
  projectId: ProjectId,
  ready: readonly CliType[],
): Promise<CliType | undefined> {
  const { sessions, delegations } = choice;
  const newestFirst = ((await sessions.list(projectId, true)) ?? [])
    .filter(({ cliType }) => cliType !== ORCHESTRATOR && ready.includes(cliType))
    .toSorted((one, other) => other.lastActiveAt.localeCompare(one.lastActiveAt));
  for (const { id, cliType } of newestFirst) if ((await delegations.parentOf(id)) === undefined) return cliType;
  return undefined;
}

interface ProjectChoice extends Pick<ToolContext, "person" | "isAllowed"> {
  readonly caller: Caller;
  readonly sessions: SessionService;
  readonly projects: ProjectService;
  readonly hub: Hub;
}

/** A session's agents work in its own project, where its rights apply; an external program names the project. */
async function chooseProject(choice: ProjectChoice, wanted: string | undefined): Promise<ProjectId> {
  const { caller, projects, sessions, hub, person, isAllowed } = choice;
  const isWanted = ({ id, path }: Project) => (id === wanted || path === wanted) && isAllowed(id);
  const known = projects.list().find(isWanted);
  if (caller !== null) {
    const own = (await sessions.view(caller))?.row.projectId;
    if (own !== undefined && (wanted === undefined || known?.id === own)) return own;
    throw new ToolError("project: child agents work in this session's project. Omit project.");
  }
  if (wanted === undefined) throw new ToolError("project: required; pass a full directory path or a project id.");
  if (known) return known.id;
  if (person !== null)
    throw new ToolError("project: not found, or you may not work in it. Ask an owner of the server.");
  const added = await projects.add(wanted);
  if (added.ok) {
    hub.publish({ type: "project:added", project: added.project });
    return added.project.id;
  }
  const same = added.refusal.code === "PROJECT_DUPLICATE" ? await projects.find(wanted) : null;
  if (same) return same.id;
  throw refusedBy(added.refusal);
}
