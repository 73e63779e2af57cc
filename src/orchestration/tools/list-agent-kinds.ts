import { z } from "zod";
import type { CliType } from "../../protocol/ids.ts";
import type { ConfigOption } from "../../protocol/session-parts.ts";
import { agentsAt } from "../agents-at.ts";
import { maySet } from "../child-rights.ts";
import { defineTool, type ToolContext } from "../tool.ts";

const CHOICES_MAX = 60;

const Choice = z.looseObject({ value: z.string(), name: z.string(), description: z.string().optional() });
const Kind = z.looseObject({
  agent: z.string(),
  name: z.string(),
  ready: z.boolean(),
  hint: z.string().optional(),
  modes: z.array(Choice.extend({ allowed: z.boolean() })).optional(),
  models: z.array(Choice).optional(),
  modelsLeftOut: z.int().optional(),
});

export const listAgentKinds = defineTool({
  name: "list_agent_kinds",
  title: "List available agents",
  needs: "look",
  description:
    "Lists the agents create_coding_agent can start, by id, with their models and modes and whether you may choose the mode. " +
    "Models and modes are available once a session of that agent has been started.",
  input: { includeUnready: z.boolean().optional().describe("Include agents that are not installed or not signed in.") },
  output: { kinds: z.array(Kind) },
  readOnly: true,
  run: async (context, { includeUnready = false }) => {
    const { caller, sessions, projects } = context;
    const own = caller === null ? null : await sessions.view(caller);
    const directory = projects.list().find(({ id }) => id === own?.row.projectId)?.path;
    const listed = agentsAt(context, directory).filter(
      ({ availability }) => includeUnready || availability === "ready",
    );
    const kinds = listed.map(async ({ id, name, availability, message, hint }) => {
      const isReady = availability === "ready";
      const why = isReady ? undefined : (message ?? hint ?? availability);
      const choices = await choicesOf(context, id);
      return { agent: id, name, ready: isReady, ...(why !== undefined && { hint: why }), ...choices };
    });
    return { kinds: await Promise.all(kinds) };
  },
});

/** The options offered to the newest session of that kind. */
async function choicesOf({ caller, policy, projects, sessions }: ToolContext, cliType: CliType) {
  const rows = await Promise.all(projects.list().map(({ id }) => sessions.list(id, true)));
  const newest = rows
    .flatMap((some) => some ?? [])
    .filter((row) => row.cliType === cliType)
    .toSorted((one, other) => other.createdAt.localeCompare(one.createdAt))[0];
  const options = newest ? ((await sessions.view(newest.id))?.state.config.options ?? []) : [];
  const valuesOf = (category: string) =>
    options.flatMap((option) => (option.category === category ? values(option) : []));
  const [modes, models] = [valuesOf("mode"), valuesOf("model")];
  const own = caller === null ? "all" : await policy.modeToGive(caller);
  return {
    ...(modes.length > 0 && { modes: modes.map((one) => ({ ...one, allowed: maySet(own, cliType, one.value) })) }),
    ...(models.length > 0 && { models: models.slice(0, CHOICES_MAX) }),
    ...(models.length > CHOICES_MAX && { modelsLeftOut: models.length - CHOICES_MAX }),
  };
}

function values(option: ConfigOption): z.infer<typeof Choice>[] {
  if (option.type !== "select") return [];
  return option.options.flatMap((one) => ("options" in one ? one.options : [one]));
}
