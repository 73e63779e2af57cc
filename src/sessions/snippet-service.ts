import type { SnippetStore } from "../ports/snippet-store.ts";
import { isoTime, type World } from "../ports/world.ts";
import type { ClientMessage } from "../protocol/client-messages.ts";
import { REFUSE, type Refusal } from "../protocol/errors.ts";
import type { ProjectId } from "../protocol/ids.ts";
import type { PlainServerMessage } from "../protocol/server-messages.ts";
import { SNIPPETS_MAX, SnippetId } from "../protocol/snippets.ts";
import type { Answer } from "./answer.ts";

type SnippetMessage = Extract<ClientMessage, { type: `snippet:${string}` }>;
type Save = Extract<SnippetMessage, { type: "snippet:save" }>;

interface SnippetServiceDeps {
  readonly store: SnippetStore;
  readonly world: World;
  readonly hasProject: (projectId: ProjectId) => boolean;
  /** Runs a repeated command once. */
  readonly once: (commandId: SnippetMessage["commandId"], run: () => Promise<Answer>) => Promise<Answer>;
  readonly publish: (message: PlainServerMessage) => void;
}

/** The user's snippets. Every client gets all of them after each change. */
export class SnippetService {
  readonly #deps: SnippetServiceDeps;
  /** Changes run one at a time: two clients cannot give one name at the same moment. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(deps: SnippetServiceDeps) {
    this.#deps = deps;
  }

  async answer(message: SnippetMessage): Promise<Answer> {
    switch (message.type) {
      case "snippet:list":
        return { kind: "message", message: await this.#list(), published: false };
      case "snippet:save":
        return this.#deps.once(message.commandId, () => this.#inTurn(() => this.#save(message)));
      case "snippet:remove":
        return this.#deps.once(message.commandId, () => this.#inTurn(() => this.#remove(message.snippetId)));
      default:
        return message satisfies never;
    }
  }

  #inTurn(change: () => Promise<Refusal | null>): Promise<Answer> {
    const done = this.#last.then(async (): Promise<Answer> => {
      const refusal = await change();
      if (refusal) return { kind: "refused", refusal };
      const message = await this.#list();
      this.#deps.publish(message);
      return { kind: "message", message, published: true };
    });
    this.#last = done.catch(() => undefined);
    return done;
  }

  async #save({ snippetId, name, body, projectId }: Save): Promise<Refusal | null> {
    const { store, world, hasProject } = this.#deps;
    const all = await store.list();
    const known = all.find(({ id }) => id === snippetId);
    if (snippetId !== undefined && !known) return REFUSE.snippetNotFound();
    if (projectId !== undefined && !hasProject(projectId)) return REFUSE.projectNotFound();
    if (!known && all.length >= SNIPPETS_MAX) return REFUSE.limitExceeded("snippets", SNIPPETS_MAX);
    if (all.some((one) => one.id !== snippetId && one.name === name && one.projectId === projectId))
      return REFUSE.invalidMessage(
        `name: there is a snippet "${name}" here already. Choose another name, or change that one`,
      );
    const id = known?.id ?? SnippetId.parse(world.newId());
    await store.put({ id, name, body, ...(projectId !== undefined && { projectId }), updatedAt: isoTime(world) });
    return null;
  }

  async #remove(snippetId: SnippetId): Promise<Refusal | null> {
    return (await this.#deps.store.remove(snippetId)) ? null : REFUSE.snippetNotFound();
  }

  async #list(): Promise<Extract<PlainServerMessage, { type: "snippet:list" }>> {
    return { type: "snippet:list", snippets: [...(await this.#deps.store.list())] };
  }
}
