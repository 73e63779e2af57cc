import { SEARCH_HITS_DEFAULT } from "../protocol/search.ts";
import { agentNamed } from "./agents.ts";
import { EXIT, type ExitCode } from "./exit-codes.ts";
import { findProject } from "./find-project.ts";
import { shortId } from "./find-session.ts";
import { type CommandLine, countOf } from "./parse-command-line.ts";
import { oneLine, print } from "./print.ts";
import { connect } from "./server-link.ts";

const SNIPPET_CHARS_MAX = 160;

export async function search(line: CommandLine): Promise<ExitCode> {
  using link = await connect(line.env);
  const [project, agent] = [line.text("project"), line.text("agent")];
  const [path, from, to] = [line.text("path"), line.text("from"), line.text("to")];
  const { hits } = await link.ask("search:results", {
    type: "search",
    query: line.args.join(" "),
    limit: countOf(line, "limit", SEARCH_HITS_DEFAULT),
    includeArchived: line.has("archived"),
    ...(project !== undefined && { projectId: findProject(link, project).id }),
    ...(agent !== undefined && { cliType: agentNamed(link, agent).id }),
    ...(path !== undefined && { path }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
  });
  const ids = [...new Set(hits.map(({ sessionId }) => sessionId))];
  const blocks = hits.map(({ sessionId, kind, title, timestamp, snippet }) => {
    const words = oneLine(snippet.map(({ text }) => text).join(""), SNIPPET_CHARS_MAX);
    const when = timestamp?.slice(0, 16).replace("T", " ") ?? "";
    return `${[shortId(sessionId, ids), kind, when, oneLine(title)].filter(Boolean).join("  ")}\n    ${words}\n`;
  });
  print(line, { hits }, blocks.length > 0 ? blocks.join("") : "Nothing was found.");
  return EXIT.done;
}
