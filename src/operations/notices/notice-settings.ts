import { createHash } from "node:crypto";
import type { NoticeTarget } from "../../protocol/notices.ts";
import { changeConfigFile } from "../change-config-file.ts";
import { loadConfigFile } from "../config-file.ts";

/** A target of config.json, with the name that clients use for it. */
export interface KnownTarget extends NoticeTarget {
  readonly id: string;
}

const ID_CHARS = 24;

/** `notify` of config.json, which the user edits by hand or in the settings of the page. */
export class NoticeSettings {
  readonly #path: string;
  #targets: readonly KnownTarget[];

  /** `targets`: as read at the start. */
  constructor(path: string, targets: readonly NoticeTarget[]) {
    this.#path = path;
    this.#targets = targets.map(withId);
  }

  get targets(): readonly KnownTarget[] {
    return this.#targets;
  }

  /** Reads the file again: the user may have changed it. */
  read(): readonly KnownTarget[] {
    this.#targets = loadConfigFile(this.#path).notify.map(withId);
    return this.#targets;
  }

  /** Changes the list in the file. Everything else in it stays, comments included. */
  change(change: (targets: readonly KnownTarget[]) => readonly NoticeTarget[]): void {
    const next = change(this.read()).map(({ url, format, on, afterMs, secret, always }) => ({
      ...{ url, format, on, afterMs },
      ...(secret !== undefined && { secret }),
      ...(always !== undefined && { always }),
    }));
    changeConfigFile(this.#path, [{ path: ["notify"], value: next }]);
    this.#targets = next.map(withId);
  }
}

/** By its address: a change of the events keeps the name, and with it the stored deliveries. */
function withId(target: NoticeTarget): KnownTarget {
  const hash = createHash("sha256").update(`${target.format} ${target.url}`).digest("hex");
  return { ...target, id: hash.slice(0, ID_CHARS) };
}

/** Without its query, which may contain a token. */
export function addressOf(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}
