import type { UsedLater } from "../lib/first-use.ts";
import { RefusalError } from "../protocol/errors.ts";
import { splitPlace } from "../protocol/place-path.ts";

export interface ByPlaceParts<Part extends object> {
  /** On this machine. */
  readonly here: UsedLater<Part>;
  /** At another one. Rejects with a RefusalError when there is no such place. */
  readonly at: (place: string) => Promise<Part>;
  readonly onError: (error: unknown) => void;
}

/** One part of the workspace on each machine, found when it is first used. */
export class ByPlace<Part extends object> {
  readonly #parts: ByPlaceParts<Part>;
  readonly #followed = new Set<Part>();
  readonly #follow: (part: Part) => void;

  /** `follow` is called once for each part. */
  constructor(parts: ByPlaceParts<Part>, follow: (part: Part) => void = () => undefined) {
    this.#parts = parts;
    this.#follow = follow;
    parts.here.onBuilt(follow);
  }

  in(directory: string): Promise<Part> {
    return this.at(placeIn(directory));
  }

  async at(place: string | null): Promise<Part> {
    return place === null ? this.#parts.here.use() : this.#known(await this.#parts.at(place));
  }

  /** Nobody waits for it. At once on this machine. */
  later(place: string | null, act: (part: Part) => void): void {
    if (place === null) act(this.#parts.here.use());
    else
      this.at(place)
        .then(act)
        .catch((error: unknown) => {
          if (!(error instanceof RefusalError)) this.#parts.onError(error);
        });
  }

  #known(part: Part): Part {
    if (!this.#followed.has(part)) this.#follow(part);
    this.#followed.add(part);
    return part;
  }
}

/** Null for a directory on this machine. */
export function placeIn(directory: string): string | null {
  return splitPlace(directory)?.place ?? null;
}
