import { rule } from "./broken-rule.ts";

const KEYS = Reflect.ownKeys(Object.prototype).length;
const ARRAY_KEYS = Reflect.ownKeys(Array.prototype).length;

/** Nothing that was read has reached the prototypes that all objects have in common. */
export function checkUnpolluted(): void {
  const isClean =
    Reflect.ownKeys(Object.prototype).length === KEYS && Reflect.ownKeys(Array.prototype).length === ARRAY_KEYS;
  rule(isClean, "no prototype is polluted");
}

/** What was made of it consists of plain objects: none has a prototype of the sender's choice. */
export function checkPlain(read: unknown): void {
  // By hand rather than by calling itself: there may be thousands of levels.
  const left: unknown[] = [read];
  while (left.length > 0) {
    const value = left.pop();
    if (typeof value !== "object" || value === null) continue;
    const prototype: unknown = Object.getPrototypeOf(value);
    const isPlain = prototype === Object.prototype || prototype === Array.prototype || prototype === null;
    rule(isPlain, "what was read consists of plain objects", () => value);
    left.push(...Object.values(value));
  }
}
