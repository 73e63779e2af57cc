import { expect } from "bun:test";
import { isPermission, isQuestion } from "../../src/protocol/pending-request.ts";
import { anotherTalk, startTalk, type Talk } from "../integration/talk.ts";
import type { SeededRandom } from "../support/seeded-random.ts";
import type { SocketClient } from "../support/socket-client.ts";
import type { TestServer } from "../support/test-server.ts";

const MESSAGES_UNTIL_KILL_MAX = 120;

/** What each conversation is about, and how many messages it says in a round. */
export const WORK = [
  { kind: "text", messages: 1, ends: "end_turn" },
  { kind: "tool", messages: 1, ends: "end_turn" },
  { kind: "permission", messages: 1, ends: "end_turn" },
  { kind: "cancel", messages: 1, ends: "cancelled" },
  { kind: "question", messages: 1, ends: "end_turn" },
  /** One that runs, one that is steered into it, one that waits behind it. */
  { kind: "queue", messages: 3, ends: "end_turn" },
] as const;

export type Kind = (typeof WORK)[number]["kind"];
export type Talks = Readonly<Record<Kind, Talk>>;

export async function openTalks(server: TestServer, cliType: string): Promise<Talks> {
  return openBeside(await startTalk(server, cliType), cliType);
}

/** The others are in the project of the first one. */
export async function openBeside(text: Talk, cliType: string): Promise<Talks> {
  const more = () => anotherTalk(text.client, text.projectId, cliType);
  // One after the other: the agent's record has them in the order they were made.
  return {
    text,
    tool: await more(),
    permission: await more(),
    cancel: await more(),
    question: await more(),
    queue: await more(),
  };
}

export async function reopenAll(client: SocketClient, talks: Talks): Promise<Talks> {
  const opened = await Promise.all(WORK.map(async ({ kind }) => [kind, await openWhole(client, talks[kind])] as const));
  const { text, tool, permission, cancel, question, queue } = Object.fromEntries(opened);
  if (!text || !tool || !permission || !cancel || !question || !queue) throw new Error("a conversation is missing");
  return { text, tool, permission, cancel, question, queue };
}

/** With every page of what was said before. */
async function openWhole(client: SocketClient, talk: Talk): Promise<Talk> {
  const opened = await talk.joinedBy(client);
  const { sessionId } = opened;
  while (opened.state.hasMore)
    await client.ask("session:page", { type: "session:page", sessionId, before: opened.entries[0]?.entryId ?? "" });
  return opened;
}

export function inOrder(talks: Talks): readonly Talk[] {
  return WORK.map(({ kind }) => talks[kind]);
}

/** One streams, one runs a command of its own, two wait for answers, one is about to be cancelled, one has a queue. */
export async function startWork(talks: Talks, round: number, isSentLate: boolean): Promise<void> {
  if (!isSentLate) await talks.text.client.ask("ok", sendOf(talks.text, round));
  await talks.tool.send(`run for i in $(seq 1 60); do echo line $i of ${round}; sleep 0.03; done`, `tool-${round}`);
  await talks.tool.answerWith("allow-once");
  await talks.permission.send(`run echo answer ${round}`, `permission-${round}`);
  await talks.permission.asked();
  await talks.question.send("ask", `question-${round}`);
  await talks.question.questioned();
  await talks.queue.send("stream 2000 words at 1000/s", `running-${round}`);
  await talks.cancel.send("stream 900000 words at 400/s", `cancel-${round}`);
}

const ANSWER_OF = {
  "session:send": "ok",
  "session:steer": "ok",
  "session:cancel": "ok",
  "permission:respond": "permission:resolved",
  "elicitation:respond": "elicitation:resolved",
} as const;

/** What the user does around the kill. Answers name what was asked by the ids it had before. */
export function commandsOf(talks: Talks, round: number) {
  const permissionId = talks.permission.state.pending.find(isPermission)?.permissionId;
  const elicitationId = talks.question.state.pending.find(isQuestion)?.elicitationId;
  if (!permissionId || !elicitationId) throw new Error("a permission and a question must be open");
  const { sessionId } = talks.queue;
  return {
    sent: sendOf(talks.text, round),
    permitted: {
      ...{ type: "permission:respond" as const, permissionId, optionId: "allow-once" },
      ...{ sessionId: talks.permission.sessionId, commandId: `permit-${round}` },
    },
    cancelled: {
      ...{ type: "session:cancel" as const, sessionId: talks.cancel.sessionId },
      commandId: `cancel-now-${round}`,
    },
    answered: {
      ...{ type: "elicitation:respond" as const, elicitationId, action: "accept" as const },
      ...{ sessionId: talks.question.sessionId, content: { name: `Nr. ${round}` }, commandId: `answer-${round}` },
    },
    steered: { type: "session:steer" as const, sessionId, content: `left ${round}.`, commandId: `steer-${round}` },
    queued: { type: "session:send" as const, sessionId, content: "stream 7 words", commandId: `queued-${round}` },
  };
}

export type Commands = ReturnType<typeof commandsOf>;

/** As the page does: whether or not they had arrived before, they act once. */
export async function sendAgain(client: SocketClient, commands: Commands): Promise<void> {
  for (const command of Object.values(commands)) await client.ask(ANSWER_OF[command.type], command);
}

function sendOf({ sessionId }: Talk, round: number) {
  const content = "stream 3000 words at 2000/s";
  return { type: "session:send" as const, sessionId, content, commandId: `text-${round}` };
}

export async function finishWork(talks: Talks, round: number): Promise<void> {
  for (const { kind, messages, ends } of WORK) {
    const talk = talks[kind];
    const { turn } = await talk.until(`the end of ${kind}`, ({ turn: { state }, queue }) => {
      const said = talk.entries.filter(({ type }) => type === "user");
      // A message that waited is in the transcript a moment before its turn runs.
      const isLast = talk.state.turn.turnId === said.at(-1)?.turnId;
      return state === "idle" && queue.length === 0 && said.length === round * messages && isLast;
    });
    expect([kind, turn.stopReason]).toEqual([kind, ends]);
    expect(talk.state.pending).toEqual([]);
  }
}

/** The moment of the kill. */
export async function untilChance({ client }: Talk, random: SeededRandom): Promise<void> {
  const count = random.between(0, MESSAGES_UNTIL_KILL_MAX);
  const from = client.mark();
  await client.until(`${count} more messages`, () => client.mark() - from >= count);
}

/** Some of what the user does comes right before the kill: stored or not, on its way to the agent or not. */
export function actAtKill({ client }: Talk, commands: Commands, random: SeededRandom, isSent: boolean): number {
  const acts = Object.entries(commands).filter(([name]) => (name === "sent" ? isSent : random.between(0, 1) === 1));
  for (const [, command] of acts) client.post(command);
  return acts.length;
}
