import { posix } from "node:path";
import { FILE_KINDS } from "../../protocol/permission-policy.ts";
import { guardedName } from "./guarded-names.ts";
import { matchesGlob } from "./path-glob.ts";
import { isInside, type PathFacts, type Policy, reasonOf, type ScopedRule } from "./policy.ts";

const READING: ReadonlySet<string> = new Set(["read", "search"]);

export type Judgement =
  | { readonly allowed: true; readonly why: string; readonly ruleId?: string }
  | { readonly allowed: false; readonly why: string };

/** Whether the policy allows this kind of access to this file, by its real path. */
export function judgeFile(path: string, kind: string, policy: Policy, facts: PathFacts): Judgement {
  const places = facts.placesOf(path);
  if (places === null || places.length === 0)
    return { allowed: false, why: `The target of ${path} cannot be determined.` };
  if (places.some((place) => facts.guarded.some((folder) => isInside(place, folder))))
    return { allowed: false, why: `${path} belongs to Liminal Builder itself.` };
  const outside = places.find((place) => !facts.roots.some((root) => isInside(place, root)));
  const onlyReads = READING.has(kind);
  const repository = onlyReads ? null : repositoryOf(path, facts);
  const guarded = outside === undefined ? (guardedIn(places, facts, onlyReads) ?? repository) : null;
  for (const rule of policy.rules) {
    if (rule.effect !== "allow" || rule.command !== undefined || !coversKind(rule, kind)) continue;
    const { path: glob } = rule;
    const covers =
      glob === undefined
        ? outside === undefined && guarded === null
        : places.every((place) => isAllowedBy(glob, place, facts.roots, onlyReads)) && repository === null;
    if (covers) return { allowed: true, why: reasonOf(rule), ruleId: rule.id };
  }
  if (outside !== undefined)
    return { allowed: false, why: `${outsideWords(path, outside)} outside this session's directory.` };
  if (guarded !== null) return { allowed: false, why: `${guarded} is guarded: other programs run code from it.` };
  if (policy.mode === "edits" && kind === "edit")
    return { allowed: true, why: "Edits inside this session's directory are allowed" };
  return { allowed: false, why: "No rule covers it." };
}

/** The rule that forbids this file, by its given name or its real path. */
export function denialOfFile(
  path: string,
  kind: string,
  rules: readonly ScopedRule[],
  facts: PathFacts,
): ScopedRule | null {
  const places = [posix.normalize(path), ...(facts.placesOf(path) ?? [])];
  return (
    rules.find(
      ({ effect, path: glob, kind: of }) =>
        effect === "deny" &&
        glob !== undefined &&
        (of === undefined || of === kind) &&
        places.some((place) => isDeniedBy(glob, place, facts.roots)),
    ) ?? null
  );
}

function coversKind(rule: ScopedRule, kind: string): boolean {
  return rule.kind === undefined ? FILE_KINDS.has(kind) : rule.kind === kind;
}

function isAllowedBy(glob: string, place: string, roots: readonly string[], onlyReads: boolean): boolean {
  return relativeTo(glob, place, roots).some(
    (name) => matchesGlob(name, glob, { ignoreCase: false }) && guardedName(name, { glob, onlyReads }) === null,
  );
}

/** A denied folder is denied with all of its contents, in any spelling. */
function isDeniedBy(glob: string, place: string, roots: readonly string[]): boolean {
  return relativeTo(glob, place, roots).some((name) => {
    const names = name.split("/");
    return names.some((_, index) =>
      matchesGlob(names.slice(0, index + 1).join("/"), glob.replace(/\/+$/, ""), { ignoreCase: true }),
    );
  });
}

function relativeTo(glob: string, place: string, roots: readonly string[]): string[] {
  if (glob.startsWith("/")) return [place];
  return roots.filter((root) => isInside(place, root)).map((root) => place.slice(root.length).replace(/^\/+/, ""));
}

/**
 * The directory around a path that Git would treat as a repository, by its shape: it has a file HEAD. Its settings and
 * hooks run programs when Git is used anywhere below it.
 */
export function repositoryAround(path: string, facts: PathFacts): string | null {
  for (const place of facts.placesOf(path) ?? []) {
    const root = facts.roots.find((folder) => isInside(place, folder));
    if (root === undefined) continue;
    for (let folder = place; isInside(folder, root) && folder !== "/"; folder = posix.dirname(folder))
      if (facts.isFile(`${folder}/HEAD`)) return folder;
  }
  return null;
}

/** The same as text, for a file that is changed. */
function repositoryOf(path: string, facts: PathFacts): string | null {
  const around = repositoryAround(path, facts);
  return around === null ? null : `${posix.basename(around)}, which Git treats as a repository,`;
}

/** The first guarded part of any of these paths. */
export function guardedIn(places: readonly string[], { roots }: PathFacts, onlyReads: boolean): string | null {
  for (const place of places) {
    const root = roots.find((folder) => isInside(place, folder));
    const found = root === undefined ? null : guardedName(place.slice(root.length), { onlyReads });
    if (found !== null) return found;
  }
  return null;
}

function outsideWords(path: string, place: string): string {
  return path === place ? `${path} lies` : `${path} leads to ${place},`;
}
