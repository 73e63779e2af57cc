import type { AgentTalk } from "../agents/agent-scene.ts";
import { closeGate, gated, openGate } from "../agents/gated-command.ts";
import { HOUSEKEEPING_ANSWER } from "../agents/model-server/plan-answer.ts";

/** What is done with an agent while its wire is written down, and again when it is played back. */
export interface Scenario {
  readonly name: string;
  readonly play: (talk: AgentTalk) => Promise<void>;
}

/** They wait only for what a client sees, so that they play the same with the agent and with its recording. */
export const SCENARIOS: readonly Scenario[] = [
  { name: "basic", play: playBasic },
  { name: "tools", play: playTools },
  { name: "cancel", play: playCancel },
  { name: "failure", play: playFailure },
  { name: "reload", play: playReload },
];

async function playBasic(talk: AgentTalk): Promise<void> {
  await talk.run("think: First I consider it.", "say: # Plan\\n\\nSome **bold** text and `code`.");
  await untilTitled(talk);
  await talk.run("say: And a second answer.");
}

async function playTools(talk: AgentTalk): Promise<void> {
  const { agent } = talk.scene;
  await talk.askFirst();
  await runGated(talk, "printf 'one\\ntwo\\n'");
  await untilTitled(talk);
  await runGated(talk, "echo some words; false");
  await talk.send(agent.edit(talk.file, "line two", "line 2"), "say: Edited.");
  await talk.answer(await talk.untilAsked(), "allow_once");
  await talk.untilEnded();
  await talk.send(agent.edit(talk.file, "line three", "line 3"), "say: Not edited.");
  await talk.answer(await talk.untilAsked(), "reject_once");
  await talk.untilEnded();
}

async function runGated(talk: AgentTalk, command: string): Promise<void> {
  const whole = gated(command);
  await talk.send("say: Let me run it.", talk.scene.agent.shell(whole), "say: It ran.");
  await talk.untilTool("the command", ({ name }) => name === whole);
  await openGate(talk);
  await talk.untilEnded();
  await closeGate(talk);
}

async function playCancel(talk: AgentTalk): Promise<void> {
  const { agent } = talk.scene;
  await talk.askFirst();
  await talk.run("say: Hello.");
  await untilTitled(talk);
  await talk.send("say: Half an answer", "hold: mid-stream", "say: never said");
  await talk.scene.client.until("the half", () => talk.entries.find(({ content }) => content === "Half an answer"));
  await cancel(talk);
  const command = gated("echo never");
  await talk.send(agent.shell(command), "say: never said");
  await talk.untilTool("the command", ({ name, status }) => name === command && status === "running");
  await cancel(talk);
  await talk.send(agent.edit(talk.file, "line two", "line 2"), "say: never said");
  await talk.untilAsked();
  await cancel(talk);
  await talk.run("say: Still here.");
}

async function cancel(talk: AgentTalk): Promise<void> {
  await talk.cancel();
  await talk.untilEnded();
}

async function playFailure(talk: AgentTalk): Promise<void> {
  await talk.run("say: Hello.");
  await untilTitled(talk);
  await talk.run("fail: 500 the scripted model is down");
  await talk.run("fail: 401 that key is not known");
  await talk.run("say: Better now.");
}

async function playReload(talk: AgentTalk): Promise<void> {
  await talk.run("think: A thought.", "say: The first answer.");
  await untilTitled(talk);
  await talk.scene.killAgent();
  await talk.run("say: The second answer.");
}

/** Titles come in their own time; once it is there, what follows is the same in every run. */
async function untilTitled(talk: AgentTalk): Promise<void> {
  await talk.scene.client.untilState(talk.sessionId, "the title", ({ title }) => title === HOUSEKEEPING_ANSWER);
}
