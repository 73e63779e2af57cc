import { createServer } from "node:http";
import type { ElicitationSchema } from "@agentclientprotocol/sdk";
import type { Turn } from "../turn/turn.ts";
import type { JsonObject } from "../wire/json.ts";
import type { Skill } from "./skill.ts";

const FORM: ElicitationSchema = {
  type: "object",
  title: "A few questions",
  properties: {
    name: { type: "string", title: "Your name", minLength: 1, maxLength: 60 },
    email: {
      type: "string",
      title: "Email",
      description: "Nobody writes to you: it is only checked.",
      format: "email",
    },
    start: { type: "string", title: "First day with agents", format: "date" },
    colour: {
      type: "string",
      title: "Favourite colour",
      default: "green",
      oneOf: [
        { const: "green", title: "Green", description: "Like a passing test" },
        { const: "blue", title: "Blue", description: "Like a link" },
        { const: "red", title: "Red", description: "Like a failing one" },
      ],
    },
    agents: { type: "integer", title: "Agents you run at once", minimum: 1, maximum: 100, default: 3 },
    languages: {
      type: "array",
      title: "Languages you write",
      items: { type: "string", enum: ["TypeScript", "Python", "Rust", "Go"] },
    },
    newsletter: { type: "boolean", title: "Would you ask again?", default: false },
    remarks: { type: "string", title: "Anything else?", maxLength: 500 },
  },
  required: ["name"],
};

/** A user who accepted but has not visited the page by then will not come. */
const VISIT_MS_MAX = 5 * 60_000;

/** A form with one field of each kind, or a page to visit. */
export const ask: Skill = {
  name: "ask",
  usage: "ask [url]",
  summary: "Asks you something with a form, or asks you to visit a page.",
  hint: "url",
  accepts: (argument) => argument === "" || argument === "url",
  run: (turn, argument) => (argument === "url" ? askForVisit(turn) : askWithForm(turn)),
};

async function askWithForm(turn: Turn): Promise<void> {
  const { client, session } = turn.context;
  if (!client.capabilities.forms) {
    turn.say("I would ask you with a form, but this client cannot show forms yet.");
    return;
  }
  const message = "The guide would like to know a little about you.";
  const answer = await client.elicit(
    { mode: "form", sessionId: session.id, message, requestedSchema: FORM },
    turn.signal,
  );
  switch (answer.action) {
    case "accept":
      return turn.say(answers(answer.content));
    case "decline":
      return turn.say("All right, you declined.");
    case "cancel":
      return turn.say("You closed the form.");
    default:
      return answer.action satisfies never;
  }
}

/** The page is served by the guide on this machine; the client is notified once it was visited. */
async function askForVisit(turn: Turn): Promise<void> {
  const { client, session, world } = turn.context;
  if (!client.capabilities.pages) {
    turn.say("I would ask you to visit a page, but this client cannot do that yet.");
    return;
  }
  const elicitationId = world.newId("page");
  using page = await serveVisit();
  const message = "The guide would like you to visit a page of its own.";
  const asked = { mode: "url", sessionId: session.id, message, elicitationId, url: page.url } as const;
  const { action } = await client.elicit(asked, turn.signal);
  if (action !== "accept") return turn.say("All right, the page stays unvisited.");
  turn.say("You agreed to visit the page. ");
  const wasVisited = await page.isVisitedWithin(VISIT_MS_MAX, turn.signal);
  client.connection.notify("elicitation/complete", { elicitationId });
  turn.say(wasVisited ? "You have been there. Thank you!" : "Nobody came, so I closed it.");
}

function answers(content: JsonObject): string {
  const rows = Object.entries(content).map(([field, value]) => `| ${field} | \`${JSON.stringify(value)}\` |`);
  return ["Thank you! You answered:", "", "| Field | Answer |", "| --- | --- |", ...rows].join("\n");
}

const PATH = "/visit";
const PAGE = "<!doctype html><title>The guide</title><p>Thank you for coming. You can close this page.</p>";

/** A page served by the guide on this machine. */
type Visit = Disposable & {
  readonly url: string;
  /** Whether the page was visited within that time; a cancel rejects. */
  isVisitedWithin(ms: number, signal: AbortSignal): Promise<boolean>;
};

/** Serves a page until it is disposed of. Only its exact address counts, because browsers also request icons. */
async function serveVisit(): Promise<Visit> {
  const visited = Promise.withResolvers<boolean>();
  const server = createServer((request, response) => {
    const isPage = request.url === PATH;
    response.writeHead(isPage ? 200 : 404, { "Content-Type": "text/html; charset=utf-8", Connection: "close" });
    response.end(isPage ? PAGE : "", () => {
      if (isPage) visited.resolve(true);
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("A page on this machine has a port.");
  return {
    url: `http://127.0.0.1:${address.port}${PATH}`,
    isVisitedWithin: (ms, signal) => {
      const timer = setTimeout(() => visited.resolve(false), ms);
      signal.addEventListener("abort", () => visited.reject(signal.reason), { once: true });
      return visited.promise.finally(() => clearTimeout(timer));
    },
    [Symbol.dispose]: () => void server.close(),
  };
}
