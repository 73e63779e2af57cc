import { rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { AvailableCommand } from "@agentclientprotocol/sdk";
import { configOptions } from "../sessions/config-options.ts";
import { runInTerminal } from "../tools/run-command.ts";
import { permissionOptions } from "../turn/ask-permission.ts";
import { ToolCall, textContent } from "../turn/tool-call.ts";
import type { Turn } from "../turn/turn.ts";
import { gradientPng, toneWav } from "./media.ts";
import { planEntries } from "./plan.ts";
import { isEmpty, type Skill } from "./skill.ts";

const CONTEXT_TOKENS_USED = 1_200;
const CONTEXT_TOKENS_MAX = 200_000;

/** One of every kind of update, content and request of ACP version 1, including optional ones that the client supports. */
export function makeAll(availableCommands: () => AvailableCommand[]): Skill {
  return {
    name: "all",
    usage: "all",
    summary: "Sends one of every kind of update, and asks one of every kind of request.",
    accepts: isEmpty,
    async run(turn) {
      echoPrompt(turn);
      turn.think("One of each, in a sensible order.");
      turn.say("Here is one of everything.\n\n");
      turn.transient({ sessionUpdate: "available_commands_update", availableCommands: availableCommands() });
      sendSettings(turn);
      const question = openQuestion(turn);
      turn.update({ sessionUpdate: "plan", entries: planEntries(1) });
      sendToolCalls(turn);
      sendChanges(turn);
      sendSubAgent(turn);
      await useFiles(turn);
      await useTerminals(turn);
      sendBlocks(turn);
      sendOptional(turn);
      await question.withdraw();
      turn.update({ sessionUpdate: "plan", entries: planEntries(3) });
      const cost = { amount: 0, currency: "USD" };
      turn.transient({ sessionUpdate: "usage_update", used: CONTEXT_TOKENS_USED, size: CONTEXT_TOKENS_MAX, cost });
      turn.say("That was all.");
    },
  };
}

/** As agents with more than one client do. */
function echoPrompt(turn: Turn): void {
  const messageId = turn.context.world.newId("msg");
  for (const content of turn.context.prompt)
    turn.transient({ sessionUpdate: "user_message_chunk", messageId, content });
}

function sendSettings(turn: Turn): void {
  const { session, client, world } = turn.context;
  const options = configOptions(session.config, client.capabilities.booleanOptions);
  turn.transient({ sessionUpdate: "config_option_update", configOptions: options });
  turn.transient({ sessionUpdate: "current_mode_update", currentModeId: session.config.mode });
  turn.transient({ sessionUpdate: "session_info_update", updatedAt: new Date(world.now()).toISOString() });
}

function sendToolCalls(turn: Turn): void {
  const path = join(turn.cwd, "example.txt");
  const look = new ToolCall(turn, {
    title: "Read example.txt",
    name: "read",
    kind: "read",
    rawInput: { path },
    locations: [{ path, line: 1 }],
  });
  look.run();
  look.complete({ content: [textContent("one\ntwo\n")], rawOutput: { lines: 2 } });
  const change = new ToolCall(turn, {
    title: "Edit example.txt (not really)",
    name: "edit",
    kind: "edit",
    rawInput: { path },
  });
  change.run();
  change.complete({ content: [{ type: "diff", path, oldText: "one\ntwo\n", newText: "one\nthree\n" }] });
  const broken = new ToolCall(turn, { title: "Fetch nothing", name: "fetch", kind: "fetch", rawInput: {} });
  broken.run();
  broken.fail("There is no network here.");
}

/** Several files at once: a new one, a deleted one, and an image. */
function sendChanges(turn: Turn): void {
  const [created, deleted] = [join(turn.cwd, "new.txt"), join(turn.cwd, "old.txt")];
  const tool = new ToolCall(turn, {
    title: "Change two files (not really)",
    name: "edit",
    kind: "edit",
    rawInput: { files: [created, deleted] },
    locations: [{ path: created, line: 1 }, { path: deleted }],
  });
  const uri = pathToFileURL(created).href;
  tool.complete({
    content: [
      { type: "diff", path: created, oldText: null, newText: "brand new\n" },
      { type: "diff", path: deleted, oldText: "no longer needed\n", newText: "" },
      { type: "content", content: { type: "image", mimeType: "image/png", data: picture() } },
      { type: "content", content: { type: "resource", resource: { uri, text: "brand new\n" } } },
    ],
  });
}

/** A sub-agent of one of our calls: its messages and calls are marked with that call. */
function sendSubAgent(turn: Turn): void {
  const task = new ToolCall(turn, { title: "Ask a sub-agent", name: "task", kind: "think", rawInput: {} });
  const _meta = { claudeCode: { parentToolUseId: task.id } };
  const text = (words: string) => ({ type: "text" as const, text: words });
  const look = new ToolCall(turn, { title: "Count lines", name: "count", kind: "search", rawInput: {}, _meta });
  look.complete({ content: [textContent("2")], _meta });
  turn.update({ sessionUpdate: "agent_message_chunk", content: text("There are two lines."), _meta });
  task.complete({ content: [textContent("Two lines.")] });
}

function picture(): string {
  return gradientPng(48, 32).toString("base64");
}

function sendBlocks(turn: Turn): void {
  const uri = pathToFileURL(join(turn.cwd, "example.txt")).href;
  turn.sayBlock({ type: "image", mimeType: "image/png", data: picture() });
  turn.sayBlock({ type: "audio", mimeType: "audio/wav", data: toneWav().toString("base64") });
  turn.sayBlock({ type: "resource_link", uri, name: "example.txt", mimeType: "text/plain" });
  turn.sayBlock({ type: "resource", resource: { uri, mimeType: "text/plain", text: "one\ntwo\n" } });
  turn.sayBlock({ type: "resource", resource: { uri: `${uri}.png`, mimeType: "image/png", blob: picture() } });
}

function sendOptional(turn: Turn): void {
  const { client, world } = turn.context;
  if (client.capabilities.notices) {
    turn.transient({
      sessionUpdate: "notice",
      severity: "info",
      title: "A notice",
      description: "With more words about it.",
    });
  }
  if (!client.capabilities.compaction) return;
  const compactionId = world.newId("compaction");
  const summary = { type: "text" as const, text: "Everything so far, in short." };
  turn.update({ sessionUpdate: "compaction_update", compactionId, status: "in_progress" });
  turn.transient({ sessionUpdate: "compaction_summary_chunk", compactionId, content: summary });
  turn.update({ sessionUpdate: "compaction_update", compactionId, status: "completed", summary: [summary] });
}

const WRITTEN = "one\ntwo\n";

/** Requests permission while the rest continues; an unanswered request is withdrawn at the end. */
function openQuestion(turn: Turn): { withdraw(): Promise<void> } {
  const { client, session } = turn.context;
  const title = "Something that needs permission (nothing is done)";
  const tool = new ToolCall(turn, { title, name: "ask", kind: "other", rawInput: {} });
  const withdrawal = new AbortController();
  const request = { sessionId: session.id, toolCall: tool.announcement, options: permissionOptions("edit") };
  const asked = client
    .requestPermission(request, AbortSignal.any([withdrawal.signal, turn.signal]))
    .catch(() => undefined);
  return {
    async withdraw() {
      withdrawal.abort();
      const chosen = await asked;
      const words = chosen === undefined ? "Nobody answered, so the question was withdrawn." : `Answered: ${chosen}`;
      tool.complete({ content: [textContent(words)] });
    },
  };
}

/** Writes, reads and deletes a file through the client. */
async function useFiles(turn: Turn): Promise<void> {
  const { client, session, world } = turn.context;
  if (!client.capabilities.writeTextFile || !client.capabilities.readTextFile) return;
  const path = join(turn.cwd, `${world.newId("guide")}.txt`);
  await client.writeTextFile(session.id, path, WRITTEN, turn.signal);
  try {
    const text = await client.readTextFile(session.id, path, turn.signal);
    const tool = new ToolCall(turn, { title: "Write and read a file", name: "file", kind: "read", rawInput: { path } });
    tool.complete({ content: [textContent(text)], rawOutput: { bytes: (await stat(path)).size } });
  } finally {
    await rm(path, { force: true });
  }
}

/** A command whose output is shown, and one that is killed. */
async function useTerminals(turn: Turn): Promise<void> {
  const { client, session } = turn.context;
  if (!client.capabilities.terminal) return;
  const command = "echo terminal";
  const tool = new ToolCall(turn, { title: command, name: "run", kind: "execute", rawInput: { command } });
  await runInTerminal(turn, tool, command);
  const sessionId = session.id;
  const terminalId = await client.createTerminal({ sessionId, command: "sleep", args: ["1000"], cwd: turn.cwd });
  try {
    await client.killTerminal(sessionId, terminalId);
    await client.waitForExit(sessionId, terminalId, turn.signal);
  } finally {
    await client.releaseTerminal(sessionId, terminalId);
  }
}
