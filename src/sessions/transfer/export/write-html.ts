import type { ExportSource } from "../export-document.ts";
import { timeText } from "./entry-words.ts";
import { escapeHtml } from "./escape-html.ts";
import { PageWriting } from "./html-code.ts";
import { htmlEntry } from "./html-entry.ts";
import { PAGE_STYLE } from "./page-style.ts";

/** Also inside the file: opened from a disk, it still runs nothing and asks nobody. */
export const PAGE_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; media-src data:; base-uri 'none'; form-action 'none'";

/** A page that is whole in itself: no script, no other file, and everything anyone said is text. */
export function* writeHtml({ session, directory, now, exportedAt, runs }: ExportSource): Generator<string> {
  const { agentName, projectName, createdAt, lastActiveAt } = session;
  const writing = new PageWriting(directory, now);
  const title = escapeHtml(session.title);
  yield `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${PAGE_POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<style>${PAGE_STYLE}</style>
</head>
<body>
<header>
<h1>${title}</h1>
<p>${escapeHtml(agentName)} in ${escapeHtml(projectName)}, ${timeText(createdAt)} to ${timeText(lastActiveAt)}</p>
</header>
<main>
`;
  for (const entries of runs()) for (const entry of entries) yield htmlEntry(entry, writing);
  yield `</main>
<footer>Exported from Liminal Builder on ${timeText(exportedAt)}.</footer>
</body>
</html>
`;
}
