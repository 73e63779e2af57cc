import { readFileSync } from "node:fs";
import { ModelKind, type ShownModel } from "../protocol/builtin-model.ts";
import { ModelDraft, type ModelKey } from "../protocol/model-draft.ts";
import { type CommandLine, wrongSubcommand, wrongUsage } from "./command-line.ts";
import { CliError, EXIT, type ExitCode } from "./exit-codes.ts";
import { print } from "./print.ts";
import { connect, type ServerLink } from "./server-link.ts";
import { oneLine } from "./terminal.ts";

const VERBS = ["show", "set", "test", "list", "remove"] as const;
const STDIN = 0;
const DRAFT_OPTIONS = ["url", "api", "key", "key-from", "context", "input-price", "output-price", "currency"];

/** The model of the built-in agent: shows, sets, tests and removes it. */
export async function model(line: CommandLine): Promise<ExitCode> {
  const [given = "show", name] = line.args;
  const verb = VERBS.find((one) => one === given);
  if (verb === undefined || (name !== undefined && (verb === "show" || verb === "remove")))
    throw wrongSubcommand(line, VERBS);
  using link = await connect(line.env);
  const { settings } = await link.ask("model:settings", { type: "model:get" });
  const isChanged = name !== undefined || DRAFT_OPTIONS.some((option) => line.text(option) !== undefined);
  switch (verb) {
    case "show":
      print(line, { settings }, shownWords(settings));
      return EXIT.done;
    case "set": {
      if (!isChanged) throw wrongUsage(line, "Say what to set: a model, or an option such as --url.");
      const saved = await link.ask("model:settings", { type: "model:save", draft: draftOf(line, name, settings) });
      print(line, saved, `${shownWords(saved.settings)}\nTry it: liminal model test`);
      return EXIT.done;
    }
    case "remove": {
      const left = await link.ask("model:settings", { type: "model:remove" });
      print(line, left, "Removed the model and its key.");
      return EXIT.done;
    }
    case "test":
      return await test(line, link, isChanged ? draftOf(line, name, settings) : undefined);
    case "list": {
      // The name does not matter for the list.
      const { kind, url, key } = draftOf(line, name ?? (settings.model || "any"), settings);
      const { models, problem } = await link.ask("model:listed", { type: "model:list", kind, url, key });
      if (problem !== undefined) throw new CliError(EXIT.failed, problem, "MODEL_LIST_UNAVAILABLE");
      print(line, { models }, models.map((one) => oneLine(one.name)).join("\n") || "The endpoint lists no models.");
      return EXIT.done;
    }
    default:
      return verb satisfies never;
  }
}

async function test(line: CommandLine, link: ServerLink, draft: ModelDraft | undefined): Promise<ExitCode> {
  const { ok, message, fix } = await link.ask("model:tested", { type: "model:test", ...(draft && { draft }) });
  print(line, { ok, message, ...(fix !== undefined && { fix }) }, fix === undefined ? message : `${message}\n${fix}`);
  return ok ? EXIT.done : EXIT.failed;
}

/** Given values replace the stored ones. */
function draftOf(line: CommandLine, name: string | undefined, settings: ShownModel): ModelDraft {
  const { source, kind, url, model: known, contextTokens, inputPrice, outputPrice, currency } = settings;
  const wantedUrl = line.text("url") ?? url;
  if (wantedUrl === "") throw wrongUsage(line, "Say where the model is: --url http://127.0.0.1:11434/v1.");
  const guessed: ModelKind = wantedUrl.includes("anthropic") ? "anthropic" : "openai";
  const draft = {
    kind: ModelKind.safeParse(line.text("api")).data ?? (source === "none" ? guessed : kind),
    url: wantedUrl,
    model: name ?? known,
    key: keyOf(line, settings),
    contextTokens: numberOf(line, "context") ?? contextTokens,
    inputPrice: numberOf(line, "input-price") ?? inputPrice,
    outputPrice: numberOf(line, "output-price") ?? outputPrice,
    currency: line.text("currency") ?? currency,
  };
  const parsed = ModelDraft.safeParse(draft);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw wrongUsage(line, `${issue?.path.join(".") ?? "model"}: ${issue?.message ?? "not valid"}.`);
}

function keyOf(line: CommandLine, { key }: ShownModel): ModelKey {
  const variable = line.text("key-from");
  const source = line.text("key");
  if (variable !== undefined && source !== undefined) throw wrongUsage(line, "Use either --key or --key-from.");
  if (variable !== undefined) return { from: "variable", name: variable };
  if (source === "none") return { from: "none" };
  if (source === "stdin") return { from: "typed", value: readFileSync(STDIN, "utf8").trim() };
  return key.from === "variable" ? { from: "variable", name: key.name ?? "" } : { from: key.from };
}

function numberOf(line: CommandLine, option: string): number | undefined {
  const text = line.text(option);
  if (text === undefined) return undefined;
  const value = Number(text);
  if (text.trim() === "" || Number.isNaN(value)) throw wrongUsage(line, `--${option} needs a number.`);
  return value;
}

const KEY_WORDS = { none: "no key", kept: "a stored key" } as const;

function shownWords({ source, model: name, url, kind, key, inputPrice, outputPrice, currency }: ShownModel): string {
  if (source === "none") return "No model is set. Set one with: liminal model set <model> --url <address>";
  const isUnset = key.from === "variable" && !key.isSet ? ", which is not set" : "";
  const keyWords = key.from === "variable" ? `the key in ${key.name}${isUnset}` : KEY_WORDS[key.from];
  const prices =
    inputPrice === undefined || outputPrice === undefined
      ? []
      : [`A million tokens cost ${inputPrice} (input) and ${outputPrice} (output) ${currency ?? "USD"}.`];
  return [
    `The built-in agent works with ${oneLine(name)} at ${oneLine(url)} (${kind}), with ${keyWords}.`,
    ...prices,
    ...(source === "variables" ? ["It is set by the environment or config.json, which have priority."] : []),
  ].join("\n");
}
