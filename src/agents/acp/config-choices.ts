import type { AgentSink } from "../../ports/agents.ts";
import { type Refusal, RefusalError } from "../../protocol/errors.ts";
import { asFailure } from "./agent-refusals.ts";
import type { AcpConnection } from "./connection/acp-connection.ts";
import type { AcpFailure } from "./connection/acp-hooks.ts";
import type { JsonObject } from "./read-json.ts";
import { legacyId, translateOptions } from "./translate/translate-config.ts";

interface ConfigChoicesOptions {
  readonly agentSessionId: string;
  readonly connection: AcpConnection;
  readonly sink: AgentSink;
  readonly refuse: (failure: AcpFailure) => Refusal;
}

/** Older agents have a method of its own for each of these. */
const LEGACY_CHOICES = [
  { category: "mode", method: "session/set_mode", field: "modeId" },
  { category: "model", method: "session/set_model", field: "modelId" },
] as const;

/** The user's choice of mode, model and options, told to the agent. */
export async function configure(
  options: ConfigChoicesOptions,
  configId: string,
  value: string | boolean,
): Promise<void> {
  const { sink } = options;
  const legacy = LEGACY_CHOICES.find(({ category }) => configId === legacyId(category));
  if (legacy && typeof value === "string") {
    await choose(options, legacy.method, { [legacy.field]: value });
    sink({ type: "option-chosen", category: legacy.category, value });
    return;
  }
  const typed = typeof value === "boolean" ? { type: "boolean", value } : { value };
  const answer = await choose(options, "session/set_config_option", { configId, ...typed });
  const chosen = translateOptions(answer["configOptions"]);
  if (chosen) sink({ type: "options", options: chosen });
}

async function choose(
  { agentSessionId, connection, refuse }: ConfigChoicesOptions,
  method: string,
  choice: object,
): Promise<JsonObject> {
  try {
    return await connection.request(method, { sessionId: agentSessionId, ...choice });
  } catch (error) {
    const failure = asFailure(error);
    throw failure ? new RefusalError(refuse(failure)) : error;
  }
}
