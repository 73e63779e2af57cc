import { PermissionMode } from "../protocol/permission-policy.ts";
import { agentNamed } from "./agents.ts";
import type { ExitCode } from "./exit-codes.ts";
import { findOrAddProject } from "./find-project.ts";
import { type CommandLine, misusedNamed } from "./parse-command-line.ts";
import { tell } from "./print.ts";
import { messageOf, say } from "./say.ts";
import { connect } from "./server-link.ts";

const AGENT_DEFAULT = "builtin";

/** Starts a session and sends its first message. */
export async function run(line: CommandLine): Promise<ExitCode> {
  const mode = modeOf(line);
  const content = await messageOf("run", line.args);
  using link = await connect(line.env);
  const { id: cliType } = agentNamed(link, line.text("agent") ?? AGENT_DEFAULT);
  const { id: projectId } = await findOrAddProject(link, line.text("project") ?? process.cwd());
  const title = line.text("title");
  const { sessionId } = await link.ask("session:created", {
    type: "session:create",
    projectId,
    cliType,
    ...(title !== undefined && { title }),
  });
  if (mode !== null) await link.act({ type: "policy:set", scope: "session", sessionId, mode });
  if (line.has("wait") && !line.json) tell(`Session ${sessionId}`);
  return await say(line, link, sessionId, content);
}

function modeOf(line: CommandLine): PermissionMode | null {
  const wanted = line.text("permissions");
  if (wanted === undefined) return null;
  const mode = PermissionMode.safeParse(wanted);
  if (mode.success) return mode.data;
  throw misusedNamed("run", `--permissions is "${wanted}": choose ask, edits or all.`);
}
