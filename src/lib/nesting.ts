/** Deeper than real JSON; recursive code would overflow the stack. */
export const JSON_LEVELS_MAX = 100;

/** Whether a JSON value has arrays or objects inside each other beyond this many levels. */
export function isNestedDeeper(value: unknown, levels = JSON_LEVELS_MAX): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  return Object.values(value).some((inner) => isNestedDeeper(inner, levels - 1));
}

/** The value itself, or a copy with a placeholder for anything deeper. */
export function boundNesting(value: unknown, levels: number): unknown {
  return isNestedDeeper(value, levels) ? bounded(value, levels) : value;
}

function bounded(value: unknown, levels: number): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (levels === 0) return "[left out: nested too deep]";
  if (Array.isArray(value)) return value.map((inner) => bounded(inner, levels - 1));
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, bounded(inner, levels - 1)]));
}
