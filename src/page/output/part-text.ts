import { type DiffLine, diffLines } from "../../presentation/line-diff.ts";
import { Part } from "../../protocol/entry.ts";

const SIGN_OF: Readonly<Record<DiffLine["kind"], string>> = { same: " ", added: "+", removed: "-" };

/** A part of an entry as plain text: what it says, or its raw form. */
export function partText(json: string): string {
  const part = Part.safeParse(JSON.parse(json)).data;
  switch (part?.type) {
    case "text":
      return part.text;
    case "resource":
      return part.text ?? json;
    case "diff":
      return diffLines(part.oldText, part.newText)
        .rows.flatMap((row) => (row.kind === "fold" ? row.lines : [row]))
        .map(({ kind, text }) => `${SIGN_OF[kind]} ${text}`)
        .join("\n");
    default:
      return JSON.stringify(JSON.parse(json), null, 2);
  }
}
