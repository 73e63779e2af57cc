import { posix } from "node:path";
import type { RuleDraft } from "../../../src/protocol/permission-policy.ts";
import { isInside, type PathFacts, type ScopedRule } from "../../../src/sessions/policy/policy.ts";

export const ROOT = "/projects/demo";
export const NOW = "2026-06-01T00:00:00Z";

/** What command lines are made of, honest ones and others. */
export const COMMAND_WORDS: readonly string[] = [
  ..."npm test¦npm¦git status¦git¦status¦commit¦-m¦rm¦-rf¦ls¦cat¦cd src¦cd ..¦cd¦echo¦node¦-e¦find . -exec¦find¦-delete¦sed¦-i¦sudo¦env¦xargs¦timeout 5¦nohup¦time¦sh -c¦bash -c¦eval¦make¦--output=x¦--silent¦--short¦-la¦prlimit¦npx".split(
    "¦",
  ),
  ..."&&¦||¦|¦;¦&¦>¦>>¦<¦<<¦<<<¦2>&1¦&>¦>|¦(¦)¦{¦}¦$(¦`¦$HOME¦$x¦\"¦'¦\\¦#¦*¦?¦[a]¦~¦=¦!¦>!¦>&¦|&¦&!¦;&¦{a,b}¦$'x'¦\\\n".split(
    "¦",
  ),
  ..." ¦ ¦ ¦ ¦\n¦\t¦a.txt¦src/a.ts¦/etc/passwd¦../x¦/dev/null¦secrets/key¦.git/hooks/x¦A=1¦--¦-x¦link/file".split("¦"),
];

export const RULES: readonly RuleDraft[] = [
  { effect: "allow", command: "npm test" },
  { effect: "allow", command: "git status" },
  { effect: "allow", command: "ls" },
  { effect: "allow", command: "echo", exact: true },
  { effect: "deny", command: "rm" },
  { effect: "deny", command: "git commit" },
  { effect: "allow", path: "src/**" },
  { effect: "allow", path: "**/*.ts", kind: "edit" },
  { effect: "deny", path: "secrets/**" },
  { effect: "deny", path: "/etc/**" },
  { effect: "deny", path: "**/.git" },
  { effect: "allow", kind: "execute" },
  { effect: "deny", kind: "execute" },
  { effect: "allow", kind: "edit" },
  { effect: "deny", kind: "fetch" },
  { effect: "allow", kind: "read", expiresAt: "2026-01-01T00:00:00Z" },
];

export function scoped(rules: readonly RuleDraft[]): ScopedRule[] {
  return rules.map((rule, index) => ({ ...rule, id: `rule-${index}`, createdAt: NOW, scope: "session" }));
}

/** A disk with one link that leaves the session's directory; names of more than a hundred characters lead nowhere. */
export function someFacts(): PathFacts {
  const outside = `${ROOT}/link`;
  return {
    now: NOW,
    roots: [ROOT],
    guarded: [`${ROOT}/own-data`],
    placesOf(path) {
      if (path.length > 400) return null;
      const place = posix.normalize(path).replace(/(?<=.)\/$/, "");
      return [isInside(place, outside) ? `/outside${place.slice(outside.length)}` : place];
    },
    isFile: (path) => path === `${ROOT}/nested/HEAD`,
  };
}
