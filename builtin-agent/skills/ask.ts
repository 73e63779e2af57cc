import type { ElicitationSchema } from "@agentclientprotocol/sdk";
import type { JsonObject } from "../wire/json.ts";
import { isEmpty, type Skill } from "./skill.ts";

const FORM: ElicitationSchema = {
  type: "object",
  title: "A few questions",
  properties: {
    name: { type: "string", title: "Your name", minLength: 1, maxLength: 60 },
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
  },
  required: ["name"],
};

/** A form with one field of each kind. */
export const ask: Skill = {
  name: "ask",
  usage: "ask",
  summary: "Asks you something with a form.",
  accepts: isEmpty,
  async run(turn) {
    const { client, session } = turn.context;
    if (!client.capabilities.forms) {
      return turn.say("I would ask you with a form, but this client cannot show forms yet.");
    }
    const answer = await client.elicit(
      session.id,
      "The guide would like to know a little about you.",
      FORM,
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
  },
};

function answers(content: JsonObject): string {
  const rows = Object.entries(content).map(([field, value]) => `| ${field} | \`${JSON.stringify(value)}\` |`);
  return ["Thank you! You answered:", "", "| Field | Answer |", "| --- | --- |", ...rows].join("\n");
}
