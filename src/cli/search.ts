import { SEARCH_HITS_DEFAULT, type SearchHit } from "../protocol/search.ts";
import { agentNamed } from "./agents.ts";
import { type CommandLine, countOf, wrongUsage } from "./command-line.ts";
import { EXIT, type ExitCode } from "./exit-codes.ts";
import { findProject } from "./find-project.ts";
import { shortId } from "./find-session.ts";
import { print } from "./print.ts";
import { connect } from "./server-link.ts";
import { oneLine, paint, type Screen, Styled, styled } from "./terminal.ts";

const INDENT = "    ";
const TITLE_COLUMNS_MIN = 24;

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
    const when = timestamp?.slice(0, 16).replace("T", " ") ?? "";
    const head = [shortId(sessionId, ids), kind, when].filter(Boolean);
    return styled`${headOf(head, title, line.screen)}\n${INDENT}${foundText(snippet, line.screen)}\n`;
  });
  print(line, { hits }, blocks.length > 0 ? Styled.join(blocks) : "No results.");
  return EXIT.done;
}

/** The title gets its own line if there is no room for it. */
function headOf([id = "", ...more]: readonly string[], title: string, { columns }: Screen): Styled {
  const rest = more.map((word) => `  ${word}`).join("");
  const taken = Bun.stringWidth(`${id}${rest}  `);
  const isBeside = columns === null || columns - taken >= TITLE_COLUMNS_MIN;
  const gap = isBeside ? "  " : `\n${INDENT}`;
  const shown = oneLine(title, columns === null ? null : columns - (isBeside ? taken : INDENT.length));
  return styled`${paint("cyan", id)}${paint("dim", rest)}${gap}${paint("bold", shown)}`;
}

/** One line with the matches marked. Spaces beside a match count, so the pieces are not trimmed. */
function foundText(snippet: SearchHit["snippet"], { columns }: Screen): Styled {
  const pieces = snippet.map(({ text, hit }) => paint(hit ? "yellow" : undefined, oneLine(`|${text}|`).slice(1, -1)));
  return Styled.join(pieces).shorten(columns === null ? null : columns - INDENT.length);
}

function timeOf(line: CommandLine, option: "from" | "to"): string | undefined {
  const text = line.text(option);
  if (text === undefined || !Number.isNaN(Date.parse(text))) return text;
  throw wrongUsage(line, `Invalid value "${text}" for --${option}: expected a day or a time, such as 2026-03-01.`);
}
