import { dirname } from "node:path";
import { importsOf } from "./imports-of.ts";
import type { SourceFile } from "./source-file.ts";

/**
 * Groups of sibling folders that import each other in a circle, at every level of the tree. Two folders are compared
 * below their closest common parent; a file that lies in the parent itself belongs to no group.
 */
export function folderCycles(files: readonly SourceFile[]): string[][] {
  const arrows = new Map<string, Map<string, Set<string>>>();
  const known = new Set(files.map(({ path }) => path));
  for (const file of files)
    for (const { target } of importsOf(file)) {
      if (target === undefined || !known.has(target)) continue;
      const split = splitAtFork(dirname(file.path).split("/"), dirname(target).split("/"));
      if (split === undefined) continue;
      const level = arrows.get(split.parent) ?? new Map<string, Set<string>>();
      arrows.set(split.parent, level);
      level.set(split.from, (level.get(split.from) ?? new Set()).add(split.to));
    }
  return [...arrows.values()].flatMap(stronglyConnected);
}

/** Where two folders part: undefined when one contains the other. */
function splitAtFork(from: readonly string[], to: readonly string[]) {
  let depth = 0;
  while (depth < from.length && from[depth] === to[depth]) depth += 1;
  if (depth === from.length || depth === to.length) return undefined;
  const path = (parts: readonly string[], length: number) => parts.slice(0, length).join("/");
  return { parent: path(from, depth), from: path(from, depth + 1), to: path(to, depth + 1) };
}

/** Tarjan: the groups of more than one node that reach each other. */
function stronglyConnected(arrows: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const groups: string[][] = [];
  const visitNode = (node: string): void => {
    order.set(node, order.size);
    lowest.set(node, order.get(node) ?? 0);
    open.push(node);
    for (const next of arrows.get(node) ?? []) {
      if (!order.has(next)) visitNode(next);
      if (open.includes(next)) lowest.set(node, Math.min(lowest.get(node) ?? 0, lowest.get(next) ?? 0));
    }
    if (lowest.get(node) !== order.get(node)) return;
    const group = open.splice(open.indexOf(node));
    if (group.length > 1) groups.push(group.sort());
  };
  for (const node of arrows.keys()) if (!order.has(node)) visitNode(node);
  return groups;
}
