/** `*` and `?` stay inside one name, `**` crosses folders; everything else is meant literally. */
export function matchesGlob(path: string, glob: string, { ignoreCase }: { readonly ignoreCase: boolean }): boolean {
  const source = glob
    .normalize("NFC")
    .split(/(\/?\*\*\/?|\*|\?)/)
    .map(partSource)
    .join("");
  return new RegExp(`^${source}$`, ignoreCase ? "isu" : "su").test(path.normalize("NFC"));
}

function partSource(part: string): string {
  switch (part) {
    case "**":
      return ".*";
    case "**/":
      return "(?:.*/)?";
    case "/**":
      return "(?:/.*)?";
    case "/**/":
      return "/(?:.*/)?";
    case "*":
      return "[^/]*";
    case "?":
      return "[^/]";
    default:
      return part.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  }
}
