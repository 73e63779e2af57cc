import { asObject, asString, type JsonObject } from "../read-json.ts";

/** What an agent says of a failure, in plain words: some hide them in `data`, some send their model's JSON as the message. */
export function failureMessage(message: string, data: unknown): string {
  const plain = plainMessage(message);
  const details = typeof data === "string" ? data : detailsIn(asObject(data) ?? {});
  return withAdvice(details === undefined || plain.includes(details) ? plain : `${plain}: ${details}`);
}

const ROOT_ADVICE =
  "Claude Code does not start as root unless IS_SANDBOX is 1. " +
  "Start Liminal Builder as another user, or set IS_SANDBOX=1 if this machine is a container or a sandbox.";

/** Adds what to do about a complaint whose own words do not say it. */
export function withAdvice(complaint: string): string {
  const isAboutRoot = complaint.includes("cannot be used with root/sudo privileges");
  return isAboutRoot && !complaint.includes(ROOT_ADVICE) ? `${complaint}\n${ROOT_ADVICE}` : complaint;
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
