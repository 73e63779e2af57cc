import type { AgentChoices, ModelFavourites } from "../ports/agent-choices.ts";
import type { ProjectStore } from "../ports/project-store.ts";
import type { SessionLog } from "../ports/session-log.ts";
import { REFUSE } from "../protocol/errors.ts";
import type { CliType } from "../protocol/ids.ts";
import { MODEL_FAVOURITES_MAX } from "../protocol/limits.ts";
import type { ConfigOption } from "../protocol/session-parts.ts";
import type { SessionRow } from "../protocol/session-schema.ts";
import { isOffered } from "./agent/apply-choices.ts";
import type { Answer } from "./answer.ts";
import type { SessionService } from "./session-service.ts";

/**
 * An agent that was never started, or failed, has reported no options: older sessions are tried next, up to this many.
 */
const SESSIONS_ASKED_MAX = 5;

interface AgentOptionsDeps {
  readonly log: Pick<SessionLog, "rows">;
  readonly projects: Pick<ProjectStore, "list">;
  readonly sessions: Pick<SessionService, "view">;
  readonly choices: AgentChoices & ModelFavourites;
}

interface Wish {
  readonly cliType: CliType;
  readonly configId: string;
  readonly value: string | boolean;
}

interface Favour {
  readonly cliType: CliType;
  readonly model: string;
  readonly favourite: boolean;
}

interface Known {
  readonly told: readonly ConfigOption[];
  readonly lastModel: string | undefined;
}

/**
 * What new sessions of an agent start with. Agents report their options only in a session, so the newest session's are
 * used.
 */
export class AgentOptions {
  readonly #deps: AgentOptionsDeps;

  constructor(deps: AgentOptionsDeps) {
    this.#deps = deps;
  }

  async tell(cliType: CliType): Promise<Answer> {
    const { choices } = this.#deps;
    const chosen = await choices.of(cliType);
    const { told, lastModel } = await this.#known(cliType);
    const options = told.map((option) => withValue(option, chosen.get(option.id)));
    const favourites = [...(await choices.favourites(cliType))];
    const known = { cliType, options, favourites, ...(lastModel !== undefined && { lastModel }) };
    return { kind: "message", message: { type: "agent:options", ...known }, published: false };
  }

  /** Also of a model that the agent does not offer now: an endpoint of the built-in agent lists its own. */
  async favour({ cliType, model, favourite }: Favour): Promise<Answer> {
    const { choices } = this.#deps;
    const known = await choices.favourites(cliType);
    if (favourite && !known.includes(model) && known.length >= MODEL_FAVOURITES_MAX)
      return {
        kind: "refused",
        refusal: REFUSE.invalidMessage(
          `favourite: ${MODEL_FAVOURITES_MAX} models of this agent are favourites; remove one of them first`,
        ),
      };
    await choices.setFavourite(cliType, model, favourite);
    return this.tell(cliType);
  }

  async choose({ cliType, configId, value }: Wish): Promise<Answer> {
    const option = (await this.#known(cliType)).told.find(({ id }) => id === configId);
    if (!option || !isOffered(option, value))
      return {
        kind: "refused",
        refusal: REFUSE.invalidMessage("value: the agent does not offer this; choose another"),
      };
    await this.#deps.choices.remember(cliType, configId, value);
    return this.tell(cliType);
  }

  /** The options of its newest session, and the model of the one that was used last. */
  async #known(cliType: CliType): Promise<Known> {
    const { log, projects } = this.#deps;
    const listed = await Promise.all((await projects.list()).map(({ id }) => log.rows(id, true)));
    const rows = listed.flat().filter((row) => row.cliType === cliType);
    const told = await this.#firstOptions(inOrder(rows, ({ createdAt }) => createdAt));
    const used = await this.#firstOptions(inOrder(rows, ({ lastActiveAt }) => lastActiveAt));
    const model = used.find(({ category, type }) => category === "model" && type === "select");
    return { told, lastModel: model?.type === "select" ? model.currentValue : undefined };
  }

  async #firstOptions(rows: readonly SessionRow[]): Promise<readonly ConfigOption[]> {
    for (const { id } of rows.slice(0, SESSIONS_ASKED_MAX)) {
      const options = (await this.#deps.sessions.view(id))?.state.config.options ?? [];
      if (options.length > 0) return options;
    }
    return [];
  }
}

/** The latest first. Attempts come last: each may have a model of its own. */
function inOrder(rows: readonly SessionRow[], timeOf: (row: SessionRow) => string): readonly SessionRow[] {
  return rows
    .toSorted((one, other) => timeOf(other).localeCompare(timeOf(one)))
    .sort((one, other) => Number(one.attempt !== undefined) - Number(other.attempt !== undefined));
}

/** A choice that the agent no longer offers does not count. */
function withValue(option: ConfigOption, value: string | boolean | undefined): ConfigOption {
  if (value === undefined || !isOffered(option, value)) return option;
  if (option.type === "boolean") return typeof value === "boolean" ? { ...option, currentValue: value } : option;
  return typeof value === "string" ? { ...option, currentValue: value } : option;
}
