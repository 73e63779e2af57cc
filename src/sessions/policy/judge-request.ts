import type { RealPaths } from "../../ports/real-path.ts";
import { decidePermission } from "./decide-permission.ts";
import type { PermissionSubject } from "./permission-subject.ts";
import type { Policy, Verdict } from "./policy.ts";

const PATHS_JUDGED_MAX = 200;
const FILES_LOOKED_FOR_MAX = 400;

interface JudgedRequest {
  readonly subject: PermissionSubject;
  readonly policy: Policy;
  readonly now: string;
  readonly guarded: readonly string[];
}

/** Decides, looks up the places that deciding asked for, and decides again, until nothing is missing. */
export async function judgeRequest(request: JudgedRequest, paths: RealPaths): Promise<Verdict> {
  const { subject, policy, now } = request;
  const roots = (await paths.placesOf(subject.root)) ?? [];
  const guarded = (await Promise.all(request.guarded.map((folder) => paths.placesOf(folder)))).flatMap(
    (places, index) => places ?? request.guarded.slice(index, index + 1),
  );
  const known = new Map<string, readonly string[] | null>();
  const files = new Map<string, boolean>();
  for (;;) {
    const missing = new Set<string>();
    const missingFiles = new Set<string>();
    const placesOf = (path: string) => {
      if (!known.has(path)) missing.add(path);
      return known.get(path) ?? null;
    };
    const isFile = (path: string) => {
      if (!files.has(path)) missingFiles.add(path);
      return files.get(path) ?? false;
    };
    const verdict = decidePermission(subject, policy, { now, roots, guarded, placesOf, isFile });
    if (missing.size === 0 && missingFiles.size === 0) return verdict;
    if (known.size + missing.size > PATHS_JUDGED_MAX || files.size + missingFiles.size > FILES_LOOKED_FOR_MAX)
      return { answer: "ask", why: "It names too many files to be judged." };
    await Promise.all([
      ...[...missing].map(async (path) => known.set(path, await paths.placesOf(path))),
      ...[...missingFiles].map(async (path) => files.set(path, await paths.isFile(path))),
    ]);
  }
}
