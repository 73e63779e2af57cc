import type {
  ContentBlock,
  CreateTerminalRequest,
  ElicitationSchema,
  RequestPermissionRequest,
  SessionUpdate,
} from "@agentclientprotocol/sdk";
import type { Connection } from "../wire/connection.ts";
import { isObject, type JsonObject, objectAt, stringAt } from "../wire/json.ts";

/** The client's capabilities; everything is off until `initialize`. */
type ClientCapabilities = {
  readonly readTextFile: boolean;
  readonly writeTextFile: boolean;
  readonly terminal: boolean;
  readonly forms: boolean;
  readonly pages: boolean;
  readonly booleanOptions: boolean;
  readonly notices: boolean;
  readonly compaction: boolean;
};

/** How a command ended in the client's terminal. */
export type TerminalExit = { readonly exitCode: number | null; readonly signal: string | null };

/** The same with its output. */
export type CommandEnd = TerminalExit & { readonly output: string };

/** A question to the user: fill in a form, or visit a page. */
type Elicitation = { readonly sessionId: string; readonly message: string } & (
  | { readonly mode: "form"; readonly requestedSchema: ElicitationSchema }
  | { readonly mode: "url"; readonly elicitationId: string; readonly url: string }
);

/** An answered, declined or cancelled question. */
type ElicitationAnswer = { readonly action: "accept" | "decline" | "cancel"; readonly content: JsonObject };

/** Objects count if present, booleans if true, and every level may be missing. */
export function parseCapabilities(params: JsonObject): ClientCapabilities {
  const given = objectAt(params, "clientCapabilities");
  const session = objectAt(given, "session");
  return {
    readTextFile: objectAt(given, "fs")["readTextFile"] === true,
    writeTextFile: objectAt(given, "fs")["writeTextFile"] === true,
    terminal: given["terminal"] === true,
    forms: isObject(objectAt(given, "elicitation")["form"]),
    pages: isObject(objectAt(given, "elicitation")["url"]),
    booleanOptions: isObject(objectAt(session, "configOptions")["boolean"]),
    notices: isObject(session["notices"]),
    compaction: isObject(session["compaction"]),
  };
}

/** The client's side of the wire for one session, typed, with every answer validated. */
export class Client {
  readonly connection: Connection;
  readonly capabilities: ClientCapabilities;

  constructor(connection: Connection, capabilities: ClientCapabilities) {
    this.connection = connection;
    this.capabilities = capabilities;
  }

  update(sessionId: string, update: SessionUpdate): void {
    this.connection.notify("session/update", { sessionId, update });
  }

  /** Many chunks of one message in one write, for fast streams. */
  messageChunks(sessionId: string, messageId: string, texts: readonly string[]): void {
    this.connection.writer.together(() => {
      for (const text of texts) {
        const content: ContentBlock = { type: "text", text };
        this.update(sessionId, { sessionUpdate: "agent_message_chunk", messageId, content });
      }
    });
  }

  /** The chosen option, or undefined if the request was cancelled. */
  async requestPermission(request: RequestPermissionRequest, signal: AbortSignal): Promise<string | undefined> {
    const answer = await this.connection.request("session/request_permission", request, { signal });
    const outcome = isObject(answer) ? objectAt(answer, "outcome") : {};
    return outcome["outcome"] === "selected" ? stringAt(outcome, "optionId") : undefined;
  }

  async readTextFile(sessionId: string, path: string, signal: AbortSignal): Promise<string> {
    const answer = await this.connection.request("fs/read_text_file", { sessionId, path }, { signal });
    return isObject(answer) ? (stringAt(answer, "content") ?? "") : "";
  }

  async writeTextFile(sessionId: string, path: string, content: string, signal: AbortSignal): Promise<void> {
    await this.connection.request("fs/write_text_file", { sessionId, path, content }, { signal });
  }

  /** Never withdrawn: a terminal that was created in the meantime must be known, or nothing releases it. */
  async createTerminal(request: CreateTerminalRequest): Promise<string> {
    const answer = await this.connection.request("terminal/create", request);
    const terminalId = isObject(answer) ? stringAt(answer, "terminalId") : undefined;
    if (terminalId === undefined) throw new Error("The client made a terminal without an id.");
    return terminalId;
  }

  async waitForExit(sessionId: string, terminalId: string, signal: AbortSignal): Promise<TerminalExit> {
    const answer = await this.connection.request("terminal/wait_for_exit", { sessionId, terminalId }, { signal });
    const exit = isObject(answer) ? answer : {};
    const { exitCode } = exit;
    return { exitCode: typeof exitCode === "number" ? exitCode : null, signal: stringAt(exit, "signal") ?? null };
  }

  async terminalOutput(
    sessionId: string,
    terminalId: string,
    signal: AbortSignal,
  ): Promise<{ output: string; truncated: boolean }> {
    const answer = await this.connection.request("terminal/output", { sessionId, terminalId }, { signal });
    if (!isObject(answer)) return { output: "", truncated: false };
    return { output: stringAt(answer, "output") ?? "", truncated: answer["truncated"] === true };
  }

  async killTerminal(sessionId: string, terminalId: string): Promise<void> {
    await this.connection.request("terminal/kill", { sessionId, terminalId });
  }

  async releaseTerminal(sessionId: string, terminalId: string): Promise<void> {
    await this.connection.request("terminal/release", { sessionId, terminalId });
  }

  async elicit(params: Elicitation, signal: AbortSignal): Promise<ElicitationAnswer> {
    const answer = await this.connection.request("elicitation/create", params, { signal });
    if (!isObject(answer)) return { action: "cancel", content: {} };
    const { action } = answer;
    if (action === "accept") return { action, content: objectAt(answer, "content") };
    return { action: action === "decline" ? "decline" : "cancel", content: {} };
  }
}
