import type { Links } from "marked";

type LinkDefinition = Links[string];

/** Link definitions of one message. Those over the limit are shown as the text they are. */
const LINK_DEFINITIONS_MAX = 1_000;

/** What one run of the lexer saw of the definitions: the ones it made and the labels it asked for in vain. */
export interface LinkScope {
  readonly links: Links;
  readonly defined: ReadonlyMap<string, LinkDefinition>;
  readonly missed: ReadonlySet<string>;
  /** Whether one more definition is within the limit. */
  mayDefine(): boolean;
}

/** The link reference definitions of the settled text. The first definition of a label wins, as in CommonMark. */
export class LinkDefinitions {
  readonly #known = new Map<string, LinkDefinition>();

  /** The lexer reads and writes a plain object; this one notes what it looks for, so that a later answer can be brought in. */
  openScope(): LinkScope {
    const defined = new Map<string, LinkDefinition>();
    const missed = new Set<string>();
    const lookUp = (label: string | symbol): LinkDefinition | undefined => {
      if (typeof label !== "string") return undefined;
      const found = this.#known.get(label) ?? defined.get(label);
      if (found === undefined) missed.add(label);
      return found;
    };
    const links = new Proxy<Links>(Object.create(null), {
      get: (_, label) => lookUp(label),
      getOwnPropertyDescriptor: (_, label) => {
        const value = lookUp(label);
        return value && { value, configurable: true, enumerable: true, writable: true };
      },
      set: (_, label, value: LinkDefinition) => {
        if (typeof label === "string") defined.set(label, value);
        return true;
      },
    });
    const mayDefine = (): boolean => this.#known.size + defined.size < LINK_DEFINITIONS_MAX;
    return { links, defined, missed, mayDefine };
  }

  /** Returns the labels that were not known before. */
  commit(defined: LinkScope["defined"]): string[] {
    const fresh = [...defined.keys()].filter((label) => !this.#known.has(label));
    for (const label of fresh) {
      const definition = defined.get(label);
      if (definition) this.#known.set(label, definition);
    }
    return fresh;
  }
}
