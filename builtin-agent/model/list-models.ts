import { isObject, type JsonObject, objectAt, parseJson, stringAt } from "../wire/json.ts";
import type { ModelSettings } from "./settings.ts";
import { readTrouble, WrongAnswer } from "./trouble.ts";

const ANSWER_MS_MAX = 15_000;
const LIST_BYTES_MAX = 8 * 1024 * 1024;
const MODELS_MAX = 1_000;
const NAME_CHARACTERS_MAX = 200;
const ANTHROPIC_VERSION = "2023-06-01";
const TOKENS_PER_PRICE = 1_000_000;
const NOT_THERE = [404, 405, 501];

/** A model of the endpoint. Few endpoints report more than its name. */
type ListedModel = {
  readonly name: string;
  readonly contextTokens?: number;
  readonly inputPrice?: number;
  readonly outputPrice?: number;
};

type ModelList =
  | { readonly ok: true; readonly models: readonly ListedModel[] }
  | { readonly ok: false; readonly message: string; readonly fix: string };

/** The endpoint's list of models, in both dialects `GET <address>/models`. */
export async function listModels(settings: ModelSettings, now: () => number): Promise<ModelList> {
  const { kind, url, key } = settings;
  const ownHeaders = kind === "anthropic" ? anthropicHeaders(key) : bearer(key);
  try {
    const response = await fetch(`${url}/models`, {
      headers: { accept: "application/json", ...ownHeaders },
      redirect: "error",
      signal: AbortSignal.timeout(ANSWER_MS_MAX),
    });
    const text = await readBounded(response);
    if (NOT_THERE.includes(response.status))
      return { ok: false, message: "This endpoint has no list of models.", fix: "Type the model's name." };
    if (!response.ok) {
      const said = `answered ${response.status} when asked for its models`;
      const fix =
        response.status === 401 || response.status === 403 ? "Check the key." : `Check ${settings.names.url}.`;
      return { ok: false, message: `${new URL(url).host} ${said}.`, fix };
    }
    if (text.trimStart().startsWith("<")) throw new WrongAnswer("a web page");
    const parsed = parseJson(text);
    if (!parsed.ok) throw new WrongAnswer("something that is not JSON");
    return { ok: true, models: readList(parsed.value) };
  } catch (error) {
    const { words, wayOut } = readTrouble(error, settings, now());
    return { ok: false, message: words, fix: wayOut };
  }
}

function bearer(key: string | undefined): Record<string, string> {
  return key === undefined ? {} : { authorization: `Bearer ${key}` };
}

function anthropicHeaders(key: string | undefined): Record<string, string> {
  return { "anthropic-version": ANTHROPIC_VERSION, ...(key !== undefined && { "x-api-key": key }) };
}

async function readBounded(response: Response): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of response.body ?? []) {
    bytes += piece.length;
    if (bytes > LIST_BYTES_MAX) throw new WrongAnswer(`more than ${LIST_BYTES_MAX} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString("utf8");
}

function readList(value: unknown): readonly ListedModel[] {
  const given = isObject(value) ? (value["data"] ?? value["models"]) : value;
  const list: unknown[] = Array.isArray(given) ? given : [];
  const models = list.slice(0, MODELS_MAX).flatMap((one) => (isObject(one) ? readModel(one) : []));
  return models.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function readModel(one: JsonObject): ListedModel[] {
  const name = stringAt(one, "id") ?? stringAt(one, "name") ?? "";
  if (name === "" || name.length > NAME_CHARACTERS_MAX) return [];
  const contextTokens = [one["context_length"], one["max_model_len"], one["max_input_tokens"]].find(isCount);
  const pricing = objectAt(one, "pricing");
  const inputPrice = perMillion(pricing["prompt"] ?? pricing["input"]);
  const outputPrice = perMillion(pricing["completion"] ?? pricing["output"]);
  return [
    {
      name,
      ...(contextTokens !== undefined && { contextTokens }),
      ...(inputPrice !== undefined && outputPrice !== undefined && { inputPrice, outputPrice }),
    },
  ];
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0;
}

/** Endpoints that report prices do so for one token. */
function perMillion(value: unknown): number | undefined {
  const price = typeof value === "string" ? Number(value) : value;
  if (typeof price !== "number" || !Number.isFinite(price) || price < 0) return undefined;
  return Number((price * TOKENS_PER_PRICE).toFixed(6));
}
