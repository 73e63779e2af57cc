import type { ClientMessage } from "../protocol/client-messages.ts";
import { REFUSE } from "../protocol/errors.ts";
import type { PlainServerMessage } from "../protocol/server-messages.ts";
import type { Answer } from "../sessions/answer.ts";
import type { ProjectService } from "../workspace/project-service.ts";
import type { ProjectTools } from "../workspace/project-tools.ts";

interface ToolDeps {
  readonly projects: ProjectService;
  readonly tools: ProjectTools;
  readonly publish: (message: PlainServerMessage) => void;
}

/** The user's tool servers in a project: which there are, and switching one on or off. */
export function answerAboutTools(
  { projects, tools, publish }: ToolDeps,
  message: Extract<ClientMessage, { type: "mcp:list" | "mcp:choose" }>,
): Answer {
  const { projectId } = message;
  if (!projects.list().some(({ id }) => id === projectId))
    return { kind: "refused", refusal: REFUSE.projectNotFound() };
  const isKnown = message.type === "mcp:list" || tools.choose(projectId, message.name, message.enabled);
  if (!isKnown) return { kind: "refused", refusal: REFUSE.invalidMessage("name: config.json has no such tool server") };
  const state: PlainServerMessage = { type: "mcp:servers", projectId, servers: [...tools.list(projectId)] };
  const published = message.type === "mcp:choose";
  if (published) publish(state);
  return { kind: "message", message: state, published };
}
