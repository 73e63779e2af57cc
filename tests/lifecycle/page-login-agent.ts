import { createInterface } from "node:readline";
import type { AgentSetting } from "../support/test-server.ts";

export const LOGIN_PAGE = "https://login.example.com/device?code=AB-CD";

/** The same with a form for the code, or, as `leave`, one that ends while it asks. */
export function formLoginAgent(leave?: "leave"): AgentSetting {
  return { name: "Form Login", command: process.execPath, args: [import.meta.path, "form", ...(leave ? [leave] : [])] };
}

const CODE_FORM = {
  mode: "form",
  message: "Enter the code",
  requestedSchema: {
    type: "object",
    properties: { code: { type: "string", title: "Code", pattern: "^[A-Z]{2}$" } },
    required: ["code"],
  },
};

/** A real agent process that signs the user in through a page, as agents with a device code do, and out again. */
export function pageLoginAgent(url = LOGIN_PAGE): AgentSetting {
  return { name: "Page Login", command: process.execPath, args: [import.meta.path, url] };
}

function write(message: object): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
}

let isSignedIn = false;
let waiting: unknown;

function hear(message: { id?: unknown; method?: string; result?: { action?: string }; error?: object }): void {
  const { id, method } = message;
  switch (method) {
    case "initialize":
      write({
        id,
        result: {
          protocolVersion: 1,
          agentCapabilities: { auth: { logout: {} } },
          authMethods: [{ id: "web", name: "In the browser" }],
        },
      });
      return;
    case "logout":
      isSignedIn = false;
      write({ id, result: {} });
      return;
    case "session/new":
      if (isSignedIn) write({ id, result: { sessionId: "talk" } });
      else write({ id, error: { code: -32000, message: "Authentication required" } });
      return;
    case "authenticate":
      waiting = id;
      write({
        id: "page-1",
        method: "elicitation/create",
        params: {
          ...(process.argv[2] === "form"
            ? CODE_FORM
            : { mode: "url", message: "Enter the code", elicitationId: "e1", url: process.argv[2] }),
          requestId: id,
        },
      });
      if (process.argv[3] === "leave") process.stdout.write("", () => process.exit(1));
      return;
    case undefined:
      isSignedIn = message.result?.action === "accept";
      if (isSignedIn) write({ id: waiting, result: {} });
      else
        write({
          id: waiting,
          error: { code: -32603, message: `the page was answered ${JSON.stringify(message.error ?? message.result)}` },
        });
  }
}

if (import.meta.main) {
  for await (const line of createInterface({ input: process.stdin })) hear(JSON.parse(line));
}
