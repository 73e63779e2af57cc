import type { ElicitationSchema } from "@agentclientprotocol/sdk";
import { serveVisit } from "../turn/serve-visit.ts";
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

/** Whoever agreed to visit the page and has not come by then will not come. */
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
      return turn.say("All right, you would rather not say.");
    case "cancel":
      return turn.say("You closed the form, so I ask no further.");
    default:
      return answer.action satisfies never;
  }
}

/** The page is the guide's own, on this machine; once it was visited, the client is told that it is done. */
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
