const GAP = "…";
/** About what fits into the head of a block beside its numbers. */
export const PATH_CHARS_MAX = 56;

/** A long path without its middle: where it begins and the file it names are what one knows it by. */
export function shortenPath(path: string, charsMax = PATH_CHARS_MAX): string {
  if (path.length <= charsMax) return path;
  const parts = path.split("/");
  const file = parts.at(-1) ?? "";
  const start = parts[0] === "" ? `/${parts[1] ?? ""}` : (parts[0] ?? "");
  let end = file;
  for (let at = parts.length - 2; at > 1; at -= 1) {
    const longer = `${parts[at]}/${end}`;
    if (start.length + longer.length + GAP.length + 2 > charsMax) break;
    end = longer;
  }
  const short = `${start}/${GAP}/${end}`;
  if (short.length <= charsMax) return short;
  const half = Math.floor((charsMax - GAP.length) / 2);
  return `${path.slice(0, charsMax - GAP.length - half)}${GAP}${path.slice(path.length - half)}`;
}
