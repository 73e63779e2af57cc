import { isNestedDeeper } from "../../../lib/nesting.ts";
import type { Question } from "../../../protocol/question.ts";
import { ClientRequestError } from "../client-requests.ts";
import { asObject, asString, type JsonObject } from "../read-json.ts";
import { readFields, UnreadableSchemaError } from "./question-fields.ts";

const INVALID_PARAMS = -32602;
const MESSAGE_CHARS_MAX = 10_000;
const TITLE_CHARS_MAX = 500;
const URL_CHARS_MAX = 4_000;
const ID_CHARS_MAX = 200;
const SCHEMA_CHARS_MAX = 256 * 1024;

/** What an agent wants to ask the user; refused in the protocol's own way when it cannot be shown. */
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
    throw new ClientRequestError(INVALID_PARAMS, "Only pages with an http or https address can be shown.");
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
