import type { AgentEvent, ToolPatch } from "../../ports/agents.ts";
import type { Json } from "../../protocol/json.ts";
import type { ChildNote } from "./connection/acp-hooks.ts";
import { asArray, asObject, asShortString, asString, type JsonObject } from "./read-json.ts";
import { translateContent } from "./translate/translate-content.ts";
import { UpdateReader } from "./translate/translate-update.ts";

/** The session that shows a sub-agent: the one the user sees. */
interface Root {
  readonly agentSessionId: string;
  onChildEvent(event: AgentEvent): void;
}

/** A session that the agent opened by itself, below one of ours. */
export interface SubAgent<Session extends Root = Root> {
  /** Its agent session; also the id of the call that shows it. */
  readonly id: string;
  readonly root: Session;
  readonly parentId: string;
  title: string;
  isRunning: boolean;
  /** Its text since its last call: a report to its parent repeats it. */
  lastText: string;
  readonly updates: UpdateReader;
}

/** The oldest that have ended are forgotten first. */
const SUB_AGENTS_MAX = 2_000;
const TITLE_CHARS_MAX = 200;
const ASKED_CHARS_MAX = 100_000;
const LAST_TEXT_CHARS_MAX = 100_000;
const NO_TITLE = "Sub-agent";
/**
 * Claude's adapter passes on what its launch tool returned to the model: text about the launch, nothing of the
 * sub-agent.
 */
const LAUNCH_WORDS = "Async agent launched successfully.";

/**
 * The sub-agents of one connection. Each is shown as a tool call of its root session; what it says and does is nested
 * under that call.
 */
export class SubAgents<Session extends Root> {
  readonly #all = new Map<string, SubAgent<Session>>();

  find(agentSessionId: string): SubAgent<Session> | undefined {
    return this.#all.get(agentSessionId);
  }

  /** True for an update that is about a sub-agent: `owner` is the session that it came for. */
  read(root: Session, owner: string, update: Json): boolean {
    const body = asObject(update);
    switch (body?.["sessionUpdate"]) {
      case "subagent_update":
        return this.#onState(root, owner, body);
      case "session_message":
        return this.#onMessage(root, owner, body);
      default:
        return false;
    }
  }

  /** An update of the sub-agent's own conversation. */
  onUpdate(child: SubAgent<Session>, update: Json): void {
    if (this.read(child.root, child.id, update)) return;
    for (const event of child.updates.read(update)) {
      noteText(child, event);
      const nested = nest(event, child);
      if (nested) child.root.onChildEvent(nested);
    }
  }

  notesOf(root: string): ChildNote[] {
    return this.#of(root).map(({ id, parentId, title, isRunning, updates }) => {
      return { id, parentId, title, isRunning, ...updates.memory };
    });
  }

  restore(root: Session, notes: readonly ChildNote[]): void {
    for (const { id, parentId, title, isRunning, ...memory } of notes) {
      const child = this.#add({ id, root, parentId, title, isRunning, lastText: "", updates: new UpdateReader() });
      child.updates.restore(memory);
    }
  }

  /** The root is closed or its process has ended: no more output of its sub-agents arrives. */
  forget(root: string, reason?: string): void {
    for (const child of this.#of(root)) {
      this.#all.delete(child.id);
      if (reason === undefined || !child.isRunning) continue;
      child.root.onChildEvent({ type: "tool", patch: { ...callOf(child), status: "error", result: reason } });
    }
  }

  #of(root: string): SubAgent<Session>[] {
    return [...this.#all.values()].filter((child) => child.root.agentSessionId === root);
  }

  #add(child: SubAgent<Session>): SubAgent<Session> {
    this.#all.set(child.id, child);
    const ended = this.#all.size > SUB_AGENTS_MAX ? [...this.#all.values()].find(({ isRunning }) => !isRunning) : null;
    if (ended) this.#all.delete(ended.id);
    return child;
  }

  /** Its first report announces it; later ones change the fields they contain. */
  #onState(root: Session, owner: string, body: JsonObject): boolean {
    const id = asString(body["sessionId"]);
    if (id === undefined || id === root.agentSessionId || id === owner) return false;
    const known = this.#all.get(id);
    const child =
      known ??
      this.#add({
        id,
        root,
        parentId: owner,
        title: NO_TITLE,
        isRunning: false,
        lastText: "",
        updates: new UpdateReader(),
      });
    const description = asShortString(firstLine(body["description"]), TITLE_CHARS_MAX);
    const title = asShortString(firstLine(body["title"]), TITLE_CHARS_MAX);
    const name = title && description ? `${title}: ${description}` : (title ?? description);
    if (name) child.title = name;
    const state = readState(body["state"]);
    if (state) child.isRunning = state.status === "running";
    const canStop = asObject(asObject(body["capabilities"])?.["cancel"]) !== null;
    const patch: ToolPatch = {
      ...callOf(child),
      announced: known === undefined,
      name: child.title,
      ...state,
      ...(canStop && { subAgent: { canStop } }),
    };
    root.onChildEvent({ type: "tool", patch });
    // Codex describes a sub-agent by its complete prompt.
    const asked = asShortString(body["description"], ASKED_CHARS_MAX);
    if (known === undefined && asked !== undefined && asked !== description)
      root.onChildEvent({ type: "text", kind: "user", text: asked, parentToolCallId: id });
    return true;
  }

  /** The prompt from its parent starts its conversation; its report to the parent ends it. */
  #onMessage(root: Session, owner: string, body: JsonObject): boolean {
    const isIncoming = body["recipientSessionId"] === owner;
    const sender = this.#all.get(asString(body["senderSessionId"]) ?? "");
    const recipient = this.#all.get(owner);
    // The other side shows it.
    if (!isIncoming) return true;
    const text = textOf(body["content"]);
    const messageId = asString(body["messageId"]);
    const named = messageId === undefined ? {} : { messageId };
    if (sender?.parentId === owner) {
      if (text.trim() === "" || text.startsWith(LAUNCH_WORDS) || sender.lastText.includes(text.trim())) return true;
      const said = { type: "text" as const, kind: "assistant" as const, text, ...named, parentToolCallId: sender.id };
      sender.lastText = text;
      sender.root.onChildEvent(said);
    } else if (recipient) {
      if (text.trim() === "") return true;
      root.onChildEvent({ type: "text", kind: "user", text, ...named, parentToolCallId: recipient.id });
    } else return false;
    return true;
  }
}

function callOf(child: SubAgent): ToolPatch {
  return {
    toolCallId: child.id,
    announced: false,
    kind: "think",
    subAgent: {},
    ...(child.parentId !== child.root.agentSessionId && { parentToolCallId: child.parentId }),
  };
}

function firstLine(text: Json | undefined): string | undefined {
  return asString(text)?.trim().split("\n", 1)[0]?.trim();
}

function readState(value: Json | undefined): Pick<ToolPatch, "status" | "result"> | null {
  const state = asObject(value);
  switch (state?.["state"] ?? asString(value)) {
    case "running":
    case "requires_action":
      return { status: "running" };
    case "idle":
      return endOf(state);
    case "unknown":
      return { status: "error", result: "The agent has lost sight of this sub-agent." };
    default:
      return null;
  }
}

/** Without a reason the agent does not know how it ended, only that it no longer works. */
function endOf(state: JsonObject | null): Pick<ToolPatch, "status" | "result"> {
  switch (state?.["stopReason"]) {
    case "cancelled":
      return { status: "cancelled" };
    case "error": {
      const words = asString(asObject(state["error"])?.["message"]);
      return { status: "error", ...(words !== undefined && { result: words }) };
    }
    default:
      return { status: "complete" };
  }
}

function noteText(child: SubAgent, event: AgentEvent): void {
  if (event.type === "text" && event.kind === "assistant")
    child.lastText = (child.lastText + event.text).slice(-LAST_TEXT_CHARS_MAX);
  else if (event.type === "tool") child.lastText = "";
}

/** The event as part of its root's conversation; null for events about the sub-agent's own session. */
function nest(event: AgentEvent, { id, title }: SubAgent): AgentEvent | null {
  switch (event.type) {
    case "text":
    case "part":
      return { ...event, parentToolCallId: id };
    case "tool":
      return { ...event, patch: { ...event.patch, parentToolCallId: id } };
    case "tool-output":
    case "unknown":
      return event;
    case "notice":
      return { ...event, content: `${title}: ${event.content}` };
    default:
      // Its options, commands, title, plan and usage are not those of the session.
      return null;
  }
}

function textOf(content: Json | undefined): string {
  const blocks = asArray(content) ?? (content === undefined ? [] : [content]);
  return blocks
    .flatMap((block) => {
      const part = translateContent(block);
      if (!part) return [];
      return [part.type === "text" ? part.text : `[${part.type}]`];
    })
    .join("\n");
}
