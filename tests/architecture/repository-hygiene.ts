/** A file as it would be committed. */
export type TrackedFile = { readonly path: string; readonly text: string };

/** Names that represent any home in examples. */
const ANYBODY = "user|you|me|name|alice|bob|ada|dev|someone|example";
const HOMES = [
  new RegExp(`(?<![\\w./-])/(?:home|Users)/(?!(?:${ANYBODY})\\b)[\\w.-]+(?=/|\\b)`),
  new RegExp(`\\b[A-Z]:\\\\+Users\\\\+(?!(?:${ANYBODY})\\b)\\w`),
];

/** Paths that exist on one machine only: `here` are those of the machine that looks. */
export function machinePaths({ path, text }: TrackedFile, here: readonly string[]): string[] {
  return text.split("\n").flatMap((line, index) => {
    const found = here.find((place) => line.includes(place)) ?? HOMES.map((home) => home.exec(line)?.[0]).find(Boolean);
    return found ? [`${path}:${index + 1}: the machine path ${found}; make it relative, or take a temp folder`] : [];
  });
}

/** A lockfile with addresses ties every install to one registry. */
export function registryAddresses({ path, text }: TrackedFile): string[] {
  if (path === "package-lock.json" && text.includes('"resolved":')) {
    return [`${path}: has resolved addresses; npm leaves them out with omit-lockfile-registry-resolved=true in .npmrc`];
  }
  return /^\s*(@[\w-]+:)?registry\s*=/m.test(path.endsWith(".npmrc") ? text : "")
    ? [`${path}: names a registry; that choice is the user's`]
    : [];
}
