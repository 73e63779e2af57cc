/** A message as it came over the wire; tests look into it by key. */
export type Message = { readonly [key: string]: unknown };

/** A JSON-RPC error in either direction. */
export class RpcFailure extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** True for objects, so that tests can look deeper without casts. */
export function isMessage(value: unknown): value is Message {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value at a path of keys, or undefined on the way. */
export function at(value: unknown, ...keys: (string | number)[]): unknown {
  return keys.reduce<unknown>((found, key) => {
    if (Array.isArray(found) && typeof key === "number") return found[key];
    return isMessage(found) ? found[key] : undefined;
  }, value);
}

/** The update inside a `session/update`, or undefined. */
export function updateOf(message: Message): Message | undefined {
  const update = message["method"] === "session/update" ? at(message, "params", "update") : undefined;
  return isMessage(update) ? update : undefined;
}

/** The code of a request that must fail. */
export async function failureCode(request: Promise<unknown>): Promise<number> {
  try {
    await request;
  } catch (error) {
    if (error instanceof RpcFailure) return error.code;
    throw error;
  }
  throw new Error("The request should have failed.");
}

/** The object on a line, or undefined for junk. */
export function parseObject(line: string): Message | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isMessage(value) ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
