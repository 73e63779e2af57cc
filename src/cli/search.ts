import { SEARCH_HITS_DEFAULT } from "../protocol/search.ts";
import { agentNamed } from "./agents.ts";
import { EXIT, type ExitCode } from "./exit-codes.ts";
import { findProject } from "./find-project.ts";
import { shortId } from "./find-session.ts";
import { type CommandLine, countOf, misusedNamed } from "./parse-command-line.ts";
import { oneLine, print } from "./print.ts";
import { connect } from "./server-link.ts";

const SNIPPET_CHARS_MAX = 160;

export async function search(line: CommandLine): Promise<ExitCode> {
  const [project, agent] = [line.text("project"), line.text("agent")];
  const [path, from, to] = [line.text("path"), timeOf(line, "from"), timeOf(line, "to")];
  const limit = countOf(line, "limit", SEARCH_HITS_DEFAULT);
  using link = await connect(line.env);
  const { hits } = await link.ask("search:results", {
    type: "search",
    query: line.args.join(" "),
    limit,
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

function timeOf(line: CommandLine, option: "from" | "to"): string | undefined {
  const text = line.text(option);
  if (text === undefined || !Number.isNaN(Date.parse(text))) return text;
  throw misusedNamed("search", `--${option} is "${text}": give a day or a time, such as 2026-03-01.`);
}
