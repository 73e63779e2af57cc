import { isNestedDeeper } from "../../../lib/nesting.ts";
import type { Json } from "../../../protocol/json.ts";
import {
  ANSWER_CHARS_MAX,
  FIELD_OPTIONS_MAX,
  FIELDS_MAX,
  type FieldOption,
  type Question,
  type QuestionField,
  TextFormat,
} from "../../../protocol/question.ts";
import { ClientRequestError } from "../client-requests.ts";
import { asArray, asNumber, asObject, asString, type JsonObject } from "../read-json.ts";

const INVALID_PARAMS = -32602;
const MESSAGE_CHARS_MAX = 10_000;
const TITLE_CHARS_MAX = 500;
const URL_CHARS_MAX = 4_000;
const ID_CHARS_MAX = 200;
const SCHEMA_CHARS_MAX = 256 * 1024;

/** Reads a question of an agent to the user; throws a protocol error if it cannot be shown. */
export function readQuestion(params: JsonObject): Question {
  const message = (asString(params["message"]) ?? "").slice(0, MESSAGE_CHARS_MAX);
  const toolCallId = asString(params["toolCallId"])?.slice(0, ID_CHARS_MAX);
  const asked = { message, ...(toolCallId !== undefined && { toolCallId }) };
  switch (params["mode"]) {
    case "url":
      return { ...asked, mode: "url", fields: [], url: readPage(params) };
    case "form":
      return { ...asked, mode: "form", ...readForm(params) };
    default:
      throw new ClientRequestError(INVALID_PARAMS, `Unknown elicitation mode: ${JSON.stringify(params["mode"])}`);
  }
}

function readPage(params: JsonObject): string {
  const url = asString(params["url"]);
  if (url === undefined || url.length > URL_CHARS_MAX || !URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new ClientRequestError(INVALID_PARAMS, "Only http and https pages can be opened.");
  return url;
}

function readForm(params: JsonObject): Pick<Question, "title" | "description" | "fields" | "requestedSchema"> {
  const { requestedSchema } = params;
  const schema = asObject(requestedSchema);
  if (!schema) throw new ClientRequestError(INVALID_PARAMS, "requestedSchema must be an object.");
  if (isNestedDeeper(schema) || JSON.stringify(schema).length > SCHEMA_CHARS_MAX)
    throw new ClientRequestError(
      INVALID_PARAMS,
      `requestedSchema is over the limit of ${SCHEMA_CHARS_MAX} characters.`,
    );
  const title = asString(schema["title"])?.slice(0, TITLE_CHARS_MAX);
  const description = asString(schema["description"])?.slice(0, MESSAGE_CHARS_MAX);
  try {
    return {
      fields: readFields(schema),
      requestedSchema,
      ...(title && { title }),
      ...(description && { description }),
    };
  } catch (error) {
    if (!(error instanceof UnreadableSchemaError)) throw error;
    throw new ClientRequestError(INVALID_PARAMS, error.message);
  }
}

const NAME_CHARS_MAX = 200;
const LABEL_CHARS_MAX = 500;
const DESCRIPTION_CHARS_MAX = 4_000;
const PATTERN_CHARS_MAX = 1_000;
/** From this length on a text gets more than one line. */
const LONG_TEXT_CHARS = 200;
/** A plain object cannot hold an answer under this name. */
const IMPOSSIBLE_NAME = "__proto__";

/** The form cannot be shown correctly; the agent receives the reason. */
class UnreadableSchemaError extends Error {
  override readonly name = "UnreadableSchemaError";
}

/** The fields of a flat JSON schema, read tolerantly: only required fields that cannot be shown are refused. */
function readFields(schema: JsonObject): QuestionField[] {
  const properties = Object.entries(asObject(schema["properties"]) ?? {});
  if (properties.length > FIELDS_MAX)
    throw new UnreadableSchemaError(`requestedSchema has more than ${FIELDS_MAX} properties.`);
  const required = new Set(asArray(schema["required"]) ?? []);
  const unknown = [...required].find((name) => !properties.some(([known]) => known === name));
  if (unknown !== undefined)
    throw new UnreadableSchemaError(`requestedSchema requires ${JSON.stringify(unknown)}, which it does not define.`);
  return properties.flatMap(([name, property]) => {
    const field = readField(name, property, required.has(name));
    if (field === null && required.has(name))
      throw new UnreadableSchemaError(`requestedSchema.properties.${name.slice(0, NAME_CHARS_MAX)} cannot be shown.`);
    return field ?? [];
  });
}

/** Null for anything that cannot be a form field: objects, arbitrary lists, reserved names. */
function readField(name: string, property: Json | undefined, required: boolean): QuestionField | null {
  const schema = asObject(property);
  if (!schema || name === "" || name.length > NAME_CHARS_MAX || name === IMPOSSIBLE_NAME) return null;
  const description = asString(schema["description"])?.slice(0, DESCRIPTION_CHARS_MAX);
  const label = asString(schema["title"])?.trim().slice(0, LABEL_CHARS_MAX);
  const base = { name, label: label || name, ...(description && { description }), required };
  const options = readOptions(schema);
  const type = typeOf(schema);
  if (type === "array") return readChoices(base, schema);
  if (options.length > 0) return readChoice(base, schema, options);
  switch (type) {
    case "string":
      return readText(base, schema);
    case "number":
    case "integer":
      return readNumber(base, schema, type === "integer");
    case "boolean": {
      const given = schema["default"];
      return { ...base, kind: "boolean", ...(typeof given === "boolean" && { default: given }) };
    }
    default:
      return null;
  }
}

type Base = Pick<QuestionField, "name" | "label" | "description" | "required">;

/** Generators write `["string", "null"]` for optional values, and some omit the type of a text. */
function typeOf({ type, items, properties }: JsonObject): string {
  const named = asArray(type)?.find((one) => one !== "null") ?? type;
  if (typeof named === "string") return named;
  return items !== undefined ? "array" : properties !== undefined ? "object" : "string";
}

function readText(base: Base, schema: JsonObject): QuestionField {
  const minLength = count(schema["minLength"]);
  const maxLength = count(schema["maxLength"]);
  const pattern = asString(schema["pattern"]);
  const format = TextFormat.safeParse(schema["format"]).data;
  const given = asString(schema["default"]);
  const long = format === undefined && ((maxLength ?? 0) >= LONG_TEXT_CHARS || (given?.includes("\n") ?? false));
  return {
    ...base,
    kind: "text",
    ...(format !== undefined && { format }),
    ...(long && { long }),
    ...(minLength !== undefined && minLength <= ANSWER_CHARS_MAX && { minLength }),
    ...(maxLength !== undefined && maxLength >= (minLength ?? 0) && { maxLength }),
    ...(pattern !== undefined && pattern.length <= PATTERN_CHARS_MAX && { pattern }),
    ...(given !== undefined && given.length <= ANSWER_CHARS_MAX && { default: given }),
  };
}

function readNumber(base: Base, schema: JsonObject, integer: boolean): QuestionField {
  const minimum = asNumber(schema["minimum"]);
  const maximum = asNumber(schema["maximum"]);
  const given = asNumber(schema["default"]);
  return {
    ...base,
    kind: "number",
    integer,
    ...(minimum !== undefined && { minimum }),
    ...(maximum !== undefined && maximum >= (minimum ?? maximum) && { maximum }),
    ...(given !== undefined && { default: given }),
  };
}

function readChoice(base: Base, schema: JsonObject, options: FieldOption[]): QuestionField {
  const given = options.find(({ value }) => value === schema["default"])?.value;
  return { ...base, kind: "choice", options, ...(given !== undefined && { default: given }) };
}

function readChoices(base: Base, schema: JsonObject): QuestionField | null {
  const options = readOptions(asObject(schema["items"]) ?? {});
  if (options.length === 0) return null;
  const minItems = count(schema["minItems"]);
  const maxItems = count(schema["maxItems"]);
  const given = asArray(schema["default"]);
  return {
    ...base,
    kind: "choices",
    options,
    ...(minItems !== undefined && minItems <= options.length && { minItems }),
    ...(maxItems !== undefined && maxItems >= (minItems ?? 0) && maxItems > 0 && { maxItems }),
    ...(given && { default: options.map(({ value }) => value).filter((value) => given.includes(value)) }),
  };
}

/** `enum` with or without names, or `oneOf`/`anyOf` of constants with titles; duplicates are removed. */
function readOptions(schema: JsonObject): FieldOption[] {
  const titled = asArray(schema["oneOf"]) ?? asArray(schema["anyOf"]);
  const names = asArray(schema["enumNames"]) ?? [];
  const options = titled
    ? titled.map((item) => readOption(asObject(item)?.["const"], asObject(item)))
    : (asArray(schema["enum"]) ?? []).map((value, index) => readOption(value, { title: names[index] ?? null }));
  const known = new Map<FieldOption["value"], FieldOption>();
  for (const option of options) if (option && !known.has(option.value)) known.set(option.value, option);
  if (known.size > FIELD_OPTIONS_MAX)
    throw new UnreadableSchemaError(`requestedSchema has a field with more than ${FIELD_OPTIONS_MAX} options.`);
  return [...known.values()];
}

function readOption(value: Json | undefined, words: JsonObject | null): FieldOption | null {
  if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean") return null;
  if (typeof value === "string" && value.length > ANSWER_CHARS_MAX) return null;
  const label = asString(words?.["title"])?.trim() || String(value);
  const description = asString(words?.["description"])?.slice(0, DESCRIPTION_CHARS_MAX);
  return { value, label: label.slice(0, LABEL_CHARS_MAX), ...(description && { description }) };
}

function count(value: Json | undefined): number | undefined {
  const number = asNumber(value);
  return number !== undefined && Number.isInteger(number) && number >= 0 ? number : undefined;
}
