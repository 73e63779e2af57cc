const NAME_CHARS_MAX = 60;
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)$/i;

/** A title as the name of a file that every system takes: letters, digits and dashes, in any script. */
export function fileName(title: string): string {
  const words = title.normalize("NFC").replace(/[^\p{L}\p{N}]+/gu, "-");
  const name = [...words]
    .slice(0, NAME_CHARS_MAX)
    .join("")
    .replace(/^-+|-+$/g, "");
  return name === "" || RESERVED.test(name) ? `session${name === "" ? "" : `-${name}`}` : name;
}
