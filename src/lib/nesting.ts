/** Deeper JSON than this nobody writes by hand or by program, and what walks it recursively would run out of stack. */
export const JSON_LEVELS_MAX = 100;

/** Whether a JSON value has arrays or objects inside each other beyond this many levels. */
export function isNestedDeeper(value: unknown, levels = JSON_LEVELS_MAX): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  return Object.values(value).some((inner) => isNestedDeeper(inner, levels - 1));
}
