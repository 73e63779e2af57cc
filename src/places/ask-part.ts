import type { z } from "zod/mini";
import { REFUSE, RefusalError } from "../protocol/errors.ts";
import type { Ask } from "./contract.ts";
import { PlaceError } from "./place-error.ts";
import type { PlaceLink } from "./place-link.ts";

/** Calls a part of the workspace at a place. Rejects with a RefusalError for what is refused there, else with a PlaceError. */
export async function askPart(
  link: PlaceLink,
  part: Extract<Ask, { type: "workspace:call" }>["part"],
  name: string,
  schema: z.ZodMiniType,
  args: readonly unknown[],
): Promise<unknown> {
  const answer = schema.safeParse(await link.call(part, name, [...args]));
  if (!answer.success)
    throw new PlaceError("The place sent an answer that is not in the contract. Update Liminal Builder there.");
  return answer.data;
}

/**
 * What a place could not do, for the user. When the answer to a call that changes something is lost, nobody knows whether
 * it did: then they are told where to look.
 */
export function asRefusal(error: unknown, lookAt: string | null): unknown {
  if (!(error instanceof PlaceError)) return error;
  const words =
    error.isLost && lookAt !== null ? `${error.message} Look at ${lookAt} before you repeat it.` : error.message;
  return new RefusalError(REFUSE.placeFailed(words));
}

interface Call {
  readonly args: z.ZodMiniType<readonly unknown[]>;
  readonly answer: z.ZodMiniType;
  readonly changes?: string;
}
type Part = Extract<Ask, { type: "workspace:call" }>["part"];
type ArgsOf<One extends Call> = z.infer<One["args"]> extends readonly [...infer Args] ? Args : never;
type AnswerOf<One extends Call> = z.infer<One["answer"]>;

/** The calls of one table, to one place. */
export class PartCaller<Table extends { readonly [Name in keyof Table]: Call }> {
  readonly #link: PlaceLink;
  readonly #part: Part;
  readonly #table: Table;
  readonly #onError: (error: unknown) => void;

  constructor(link: PlaceLink, part: Part, table: Table, onError: (error: unknown) => void) {
    this.#link = link;
    this.#part = part;
    this.#table = table;
    this.#onError = onError;
  }

  /** What cannot be done becomes a refusal that tells the user what to do. */
  async call<Name extends keyof Table & string>(
    name: Name,
    ...args: ArgsOf<Table[Name]>
  ): Promise<AnswerOf<Table[Name]>> {
    try {
      return await this.ask(name, ...args);
    } catch (error) {
      throw asRefusal(error, this.#table[name].changes ?? null);
    }
  }

  /** Rejects with a PlaceError when the place cannot be used. */
  async ask<Name extends keyof Table & string>(
    name: Name,
    ...args: ArgsOf<Table[Name]>
  ): Promise<AnswerOf<Table[Name]>> {
    return (await askPart(this.#link, this.#part, name, this.#table[name].answer, args)) as AnswerOf<Table[Name]>;
  }

  /** Nobody waits for it. That a place is away is no fault of the server's. */
  later<Name extends keyof Table & string>(name: Name, ...args: ArgsOf<Table[Name]>): void {
    this.ask(name, ...args).catch((error: unknown) => {
      if (!(error instanceof PlaceError) && !(error instanceof RefusalError)) this.#onError(error);
    });
  }
}
