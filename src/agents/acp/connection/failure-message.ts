import { asObject, asString, type JsonObject } from "../read-json.ts";

/** What an agent says of a failure, in plain words: some hide them in `data`, some send their model's JSON as the message. */
export function failureMessage(message: string, data: unknown): string {
  const plain = plainMessage(message);
  const details = typeof data === "string" ? data : detailsIn(asObject(data) ?? {});
  return details === undefined || plain.includes(details) ? plain : `${plain}: ${details}`;
}

function detailsIn(data: JsonObject): string | undefined {
  return asString(data["details"]) ?? asString(data["message"]) ?? asString(asObject(data["error"])?.["message"]);
}

function plainMessage(message: string): string {
  if (!message.startsWith("{")) return message;
  try {
    const told = asObject(JSON.parse(message));
    return asString(asObject(told?.["error"])?.["message"]) ?? asString(told?.["message"]) ?? message;
  } catch (error) {
    if (error instanceof SyntaxError) return message;
    throw error;
  }
}
