import { z } from "zod";
import { Json } from "../../src/protocol/json.ts";
import { textsBy } from "./model-server/model-request.ts";
import type { Plan } from "./model-server/model-server.ts";
import { planAnswer } from "./model-server/plan-answer.ts";
import { parseScript } from "./model-server/script.ts";
import type { RealAgent } from "./real-agents.ts";

/** What the user asks for; the rest is the model's. */
export const STORY_PROMPT = "Tell the story of three agents.";
export const STORY_END = "They ended: done, done, killed. The first said: w58 w59 w60";

const WORDS = 60;
/** A model that sees nothing but errors gives up at some point. */
const ERRORS_MAX = 20;

/**
 * Codex sends a request to its model before it has the tools of its servers (docs/agent-quirks.md); a model would call
 * again.
 */
const NOT_READY = /^unsupported call/;

const Created = z.object({ agentId: z.string() });
const Waited = z.object({ reason: z.string() });
const Output = z.object({ text: z.string() });
const Listed = z.object({ agents: z.array(z.object({ outcome: z.string() })) });

interface Call {
  readonly tool: string;
  readonly input: Json;
}
type Done = Pick<Call, "tool"> & { readonly result: unknown };

/** Three children with three ends, told by a model that remembers nothing but its own requests. */
export class DelegationStory {
  /** Results of failed tools: a model would have to interpret them. */
  readonly errors: string[] = [];
  readonly #agent: RealAgent;
  readonly #holdsAt: string | null;
  #errorsBefore = 0;

  /** `holdsAt`: the model waits there, by the tool's name, before it calls this tool. */
  constructor(agent: RealAgent, holdsAt: string | null = null) {
    this.#agent = agent;
    this.#holdsAt = holdsAt;
  }

  readonly plan: Plan = (request) => {
    if (!textsBy(request, "user").some((text) => text.includes(STORY_PROMPT))) return planAnswer(request);
    const results = request.said.filter(({ by }) => by === "tool").map(({ texts }) => texts.join("\n"));
    const errors: string[] = [];
    const done: Done[] = [];
    // Each call is two: the tool is looked for, which some agents tell their model apart from results, and then called.
    const made = request.said.reduce((total, { calls }) => total + calls, 0);
    const own = results.length === made ? results.filter((_, index) => index % 2 === 1) : results;
    for (const text of own) {
      const step = nextStep(done);
      if (typeof step === "string") break;
      const result = readJson(text);
      if (result !== undefined) done.push({ tool: step.tool, result });
      else if (!NOT_READY.test(text)) errors.push(`${step.tool}: ${text}`);
    }
    this.errors.push(...errors.slice(this.#errorsBefore));
    this.#errorsBefore = Math.max(this.#errorsBefore, errors.length);
    const step = errors.length > ERRORS_MAX ? "I give up." : nextStep(done);
    if (typeof step === "string") return [{ does: "say", text: step }];
    const [search, call] = parseScript(this.#agent.mcpTool("liminal", step.tool, step.input));
    const next = made % 2 === 0 ? search : call;
    const isHeld = step.tool === this.#holdsAt && next === call;
    return [...(isHeld ? [{ does: "hold", name: step.tool } as const] : []), ...(next ? [next] : [])];
  };
}

/** From what was done so far alone, so that nothing is done twice and nothing is left out. */
function nextStep(done: readonly Done[]): Call | string {
  const resultsOf = (tool: string) => done.flatMap((one) => (one.tool === tool ? [one.result] : []));
  const ids = resultsOf("create_coding_agent").map((result) => Created.parse(result).agentId);
  const next = CHILDREN[ids.length];
  if (next) return { tool: "create_coding_agent", input: { agent: "builtin", ...next } };
  const [counter = "", asker = "", sleeper = ""] = ids;
  const reasons = resultsOf("wait_for_agents").map((result) => Waited.parse(result).reason);
  if (!reasons.includes("done")) {
    const isAnswered = resultsOf("answer_agent").length > 0;
    if (reasons.at(-1) === "blocked" && !isAnswered)
      return { tool: "answer_agent", input: { agentId: asker, answer: "allow" } };
    return { tool: "wait_for_agents", input: { agentIds: [counter, asker] } };
  }
  const [said] = resultsOf("get_agent_output").map((result) => Output.parse(result).text);
  if (said === undefined) return { tool: "get_agent_output", input: { agentId: counter } };
  if (resultsOf("kill_agent").length === 0) return { tool: "kill_agent", input: { agentId: sleeper } };
  const [agents] = resultsOf("list_agents").map((result) => Listed.parse(result).agents);
  if (!agents) return { tool: "list_agents", input: { includeEnded: true } };
  const ends = agents.map(({ outcome }) => outcome).join(", ");
  return `They ended: ${ends}. The first said: ${said.split(" ").slice(-3).join(" ")}`;
}

export const CHILDREN = [
  { title: "Counter", plan: `stream ${WORDS} words at 60/s` },
  { title: "Asker", plan: "run echo hello", policy: "ask" },
  { title: "Sleeper", plan: "sleep" },
] as const;

function readJson(text: string): unknown {
  try {
    // Some agents add more text around it.
    return Json.parse(JSON.parse(text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1)));
  } catch {
    return undefined;
  }
}
