import type { PermissionSubject } from "./permission-subject.ts";
import { suspiciousMark, suspiciousText } from "./suspicious-text.ts";

/** An open quote is taken to the end, and stays: given up, it would be tried again from every quote inside it. */
const QUOTED = /'[^']*'|"[^"\\]*(?:\\.[^"\\]*)*("|\\?$)/gs;

/** What in the command or the paths of a request could deceive whoever reads it, in words. */
export function oddityOf({ command, paths, root, cwd, name, kind }: PermissionSubject): string | null {
  const stated = kind === "execute" ? name : "";
  const line = command === null ? stated : typeof command === "string" ? command : command.join(" ");
  // The session's own directory has the name the user gave it.
  const [shown = "", ...places] = [line, cwd, ...paths].map((text) => text.replaceAll(root, ""));
  // Inside quotes a mark is only text; outside, what looks like a separator should be one.
  const found = [
    ...[shown, ...places].map(suspiciousText),
    ...[shown.replace(QUOTED, (quoted, end) => (end === '"' || quoted.startsWith("'") ? "" : quoted)), ...places].map(
      suspiciousMark,
    ),
  ];
  return found.find((words) => words !== null) ?? null;
}
