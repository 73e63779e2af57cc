import { randomUUID } from "node:crypto";
import { chmodSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { z } from "zod";
import type { Environment } from "../agents/process/agent-environment.ts";
import type { ModelMessage } from "../bridge/answer-message.ts";
import { TaskQueue } from "../lib/task-queue.ts";
import { ListedModel, ModelKind, type ShownModel } from "../protocol/builtin-model.ts";
import { REFUSE, RefusalError } from "../protocol/errors.ts";
import type { ModelDraft, ModelKey } from "../protocol/model-draft.ts";
import type { PlainServerMessage } from "../protocol/server-messages.ts";
import type { Answer } from "../sessions/answer.ts";
import { SECRET_VARIABLES } from "./config.ts";

/** The built-in agent itself gives the model a minute. */
const ANSWER_MS_MAX = 70_000;
const PRIVATE_MODE = 0o600;

/** The content of the file. The built-in agent reads it, too: `builtin-agent/model/settings.ts`. */
const StoredModel = z.object({
  kind: ModelKind,
  url: z.string(),
  model: z.string(),
  key: z.string().optional(),
  keyFrom: z.string().optional(),
  contextTokens: z.number().optional(),
  inputPrice: z.number().optional(),
  outputPrice: z.number().optional(),
  currency: z.string().optional(),
});
type StoredModel = z.infer<typeof StoredModel>;

/** The variables of the built-in agent that correspond to the fields of the file. */
const VARIABLES: Readonly<Record<keyof StoredModel, string>> = {
  kind: "LIMINAL_MODEL_KIND",
  url: "LIMINAL_MODEL_URL",
  model: "LIMINAL_MODEL",
  key: "LIMINAL_MODEL_KEY",
  keyFrom: "LIMINAL_MODEL_KEY_FROM",
  contextTokens: "LIMINAL_MODEL_CONTEXT",
  inputPrice: "LIMINAL_MODEL_INPUT_PRICE",
  outputPrice: "LIMINAL_MODEL_OUTPUT_PRICE",
  currency: "LIMINAL_MODEL_CURRENCY",
};

export const MODEL_FILE = "builtin-model.json";

/** Null if there is none, or none that can be read; the built-in agent then reports why. */
export function readStoredModel(path: string): StoredModel | null {
  try {
    return StoredModel.safeParse(JSON.parse(readFileSync(path, "utf8"))).data ?? null;
  } catch (error) {
    if (error instanceof SyntaxError || (error instanceof Error && "code" in error)) return null;
    throw error;
  }
}

/** The model that the environment of the built-in agent names, else the stored one. */
export function modelName(env: Environment, stored: StoredModel | null): string | null {
  return isByVariables(env) ? (env["LIMINAL_MODEL"] ?? null) : (stored?.model ?? null);
}

function isByVariables(env: Environment): boolean {
  return Boolean(env["LIMINAL_MODEL_URL"] || env["LIMINAL_MODEL"]);
}

interface ModelParts {
  readonly path: string;
  /** The environment and command of the built-in agent. */
  readonly agent: () => { readonly env: Environment; readonly command: readonly string[] | null };
  readonly publish: (message: PlainServerMessage) => void;
  /** The agent's name in lists follows its model. */
  readonly onChanged: () => void;
}

/** The model of the built-in agent: set, tested and removed by clients, stored with its key for this user alone. */
export class BuiltinModel {
  readonly #parts: ModelParts;
  readonly #probes = new TaskQueue();
  readonly #stopped = new AbortController();
  #stored: StoredModel | null;

  constructor(parts: ModelParts) {
    this.#parts = parts;
    this.#stored = readStoredModel(parts.path);
  }

  get name(): string | null {
    return modelName(this.#parts.agent().env, this.#stored);
  }

  stop(): void {
    this.#stopped.abort();
  }

  async answer(message: ModelMessage): Promise<Answer> {
    try {
      return await this.#answer(message);
    } catch (error) {
      if (!(error instanceof RefusalError)) throw error;
      return { kind: "refused", refusal: error.refusal };
    }
  }

  async #answer(message: ModelMessage): Promise<Answer> {
    switch (message.type) {
      case "model:get":
        return { kind: "message", message: this.#shown(), published: false };
      case "model:save":
        this.#refuseVariables();
        this.#write(this.#merged(message.draft));
        return this.#changed();
      case "model:remove":
        this.#refuseVariables();
        this.#write(null);
        return this.#changed();
      case "model:test": {
        const report = await this.#probe("--ask-model", message.draft && this.#merged(message.draft));
        return { kind: "message", message: { type: "model:tested", ...ModelReport.parse(report) }, published: false };
      }
      case "model:list": {
        const { kind, url, key } = message;
        // The list needs no model, but the agent's settings do.
        const report = await this.#probe("--list-models", this.#merged({ kind, url, key, model: "any" }));
        const { ok, models = [], message: problem = "", fix = "" } = ListReport.parse(report);
        const told = ok ? {} : { problem: `${problem} ${fix}`.trim() };
        return { kind: "message", message: { type: "model:listed", models, ...told }, published: false };
      }
      default:
        return message satisfies never;
    }
  }

  #changed(): Answer {
    const message = this.#shown();
    this.#parts.publish(message);
    this.#parts.onChanged();
    return { kind: "message", message, published: true };
  }

  #refuseVariables(): void {
    if (!isByVariables(this.#parts.agent().env)) return;
    const words =
      "The model is set by LIMINAL_MODEL_URL and LIMINAL_MODEL in the environment or config.json. Remove them there and start the server again, then set it here.";
    throw new RefusalError(REFUSE.settingsUnwritable(words));
  }

  #shown(): PlainServerMessage {
    const { env } = this.#parts.agent();
    const settings = isByVariables(env) ? shownVariables(env) : shownStored(this.#stored, env);
    return { type: "model:settings", settings };
  }

  /** A kept key stays with its host: changing the address must not send it elsewhere. */
  #merged({ key, url: given, ...rest }: ModelDraft): StoredModel {
    const url = given.trim();
    if ((rest.inputPrice === undefined) !== (rest.outputPrice === undefined))
      throw new RefusalError(REFUSE.modelSettingsWrong("Enter both prices or none."));
    return { ...rest, url, ...this.#keyOf(key, url) };
  }

  #keyOf(key: ModelKey, url: string): Pick<StoredModel, "key" | "keyFrom"> {
    switch (key.from) {
      case "none":
        return {};
      case "typed":
        return { key: key.value };
      case "variable": {
        const isSecret = SECRET_VARIABLES.some((name) => name === key.name && name !== "LIMINAL_MODEL_KEY");
        if (!isSecret && this.#parts.agent().env[key.name]) return { keyFrom: key.name };
        const words = `The variable ${key.name} is not set where the server was started. Set it there and start the server again, or store the key here.`;
        throw new RefusalError(REFUSE.modelSettingsWrong(words));
      }
      case "kept": {
        const stored = this.#stored;
        if (stored?.key === undefined)
          throw new RefusalError(REFUSE.modelSettingsWrong("No key is stored. Enter one."));
        const [before, after] = [new URL(stored.url), new URL(url)];
        if (before.origin !== after.origin)
          throw new RefusalError(
            REFUSE.modelSettingsWrong(`The stored key is for ${before.host}. Enter the key for ${after.host}.`),
          );
        return { key: stored.key };
      }
      default:
        return key satisfies never;
    }
  }

  /** All or nothing, and never readable by others, not even while it is written. */
  #write(next: StoredModel | null): void {
    const { path } = this.#parts;
    try {
      if (next === null) rmSync(path, { force: true });
      else {
        const written = `${path}.${randomUUID()}`;
        try {
          writeFileSync(written, `${JSON.stringify(next, null, 2)}\n`, { mode: PRIVATE_MODE, flag: "wx" });
          chmodSync(written, PRIVATE_MODE);
          renameSync(written, path);
        } finally {
          rmSync(written, { force: true });
        }
      }
    } catch (error) {
      const why = error instanceof Error && "code" in error ? String(error.code) : "unknown reason";
      const words = `${path} could not be written (${why}). Check the permissions of its directory and try again.`;
      throw new RefusalError(REFUSE.settingsUnwritable(words));
    }
    this.#stored = next;
  }

  /** One at a time. The settings go through the environment of the process, which other users cannot read. */
  #probe(flag: "--ask-model" | "--list-models", model: StoredModel | undefined): Promise<unknown> {
    return this.#probes.run(() => {
      const { env, command } = this.#parts.agent();
      const own = model && { ...variablesOf(model), LIMINAL_MODEL_FILE: "", LIMINAL_MODEL_DRAFT: "1" };
      return askBuiltin(command, { ...env, ...own }, flag, this.#stopped.signal);
    });
  }
}

/** The result of a request to the endpoint. */
export const ModelReport = z.object({ ok: z.boolean(), message: z.string(), fix: z.string().optional() });
const ListReport = ModelReport.partial({ message: true }).extend({ models: z.array(ListedModel).optional() });

/** Sent by the agent that uses the model, because only that knows the API dialects. */
export async function askBuiltin(
  command: readonly string[] | null,
  env: Environment,
  flag: "--ask-model" | "--list-models",
  signal?: AbortSignal,
): Promise<unknown> {
  const silent = { ok: false, message: `The model did not respond within ${ANSWER_MS_MAX / 1_000} s.`, fix: CHECK };
  if (!command) return { ...silent, message: "The built-in agent cannot be started." };
  const asking = Bun.spawn([...command, flag], {
    env,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "ignore",
    timeout: ANSWER_MS_MAX,
    killSignal: "SIGKILL",
    ...(signal && { signal }),
  });
  const said = (await new Response(asking.stdout).text()).trim();
  return said === "" ? silent : JSON.parse(said);
}

const CHECK = "Check the address and that it can be reached.";

/** All of them: a variable of the environment must not mix with a draft. */
function variablesOf(model: StoredModel): Environment {
  return Object.fromEntries(
    Object.entries(VARIABLES).map(([field, variable]) => [variable, String(Reflect.get(model, field) ?? "")]),
  );
}

function shownStored(stored: StoredModel | null, env: Environment): ShownModel {
  if (stored === null) return { source: "none", kind: "openai", url: "", model: "", key: { from: "none" } };
  const { key, keyFrom, ...shown } = stored;
  const from =
    keyFrom !== undefined
      ? { from: "variable" as const, name: keyFrom, isSet: Boolean(env[keyFrom]) }
      : { from: key === undefined ? ("none" as const) : ("kept" as const) };
  return { source: "page", ...shown, key: from };
}

/** Read as the built-in agent does. */
function shownVariables(env: Environment): ShownModel {
  const url = env["LIMINAL_MODEL_URL"] ?? "";
  const keyName = env["LIMINAL_MODEL_KEY_FROM"] || "LIMINAL_MODEL_KEY";
  const context = Number(env["LIMINAL_MODEL_CONTEXT"]);
  return {
    source: "variables",
    kind: ModelKind.safeParse(env["LIMINAL_MODEL_KIND"]).data ?? (url.includes("anthropic") ? "anthropic" : "openai"),
    url,
    model: env["LIMINAL_MODEL"] ?? "",
    key: { from: "variable", name: keyName, isSet: Boolean(env[keyName]) },
    ...(Number.isSafeInteger(context) && context > 0 && { contextTokens: context }),
  };
}
