import type { AgentEvent, ToolPatch } from "../../src/ports/agents.ts";
import type { PermissionId } from "../../src/protocol/ids.ts";
import type { SeededRandom } from "../support/seeded-random.ts";
import { permissionId, turnId } from "./names.ts";
import type { SessionScene } from "./session-scene.ts";

const WORDS = ["a", "bc ", "def\n", "😀", "", "go", "\ud83d", "\ude00", "```", "x".repeat(300)];
const MESSAGE_IDS = [{}, {}, { messageId: "m1" }, { messageId: "m2" }];
const KINDS = ["assistant", "assistant", "assistant", "thinking", "user"] as const;
const CALLS = ["1", "2", "3"];
const OPTIONS = [{ optionId: "yes", name: "Yes", kind: "allow_once" }];
const IMAGE = { type: "image", mimeType: "image/png", data: "AAAA" } as const;
const STOPS = ["end_turn", "end_turn", "max_tokens", "refusal", "cancelled"] as const;

/** A user and an agent that do anything, in any order, as real ones do over a long time. */
export class RandomTalk {
  readonly #random: SeededRandom;
  readonly #scene: SessionScene;
  #questions = 0;
  /** Every word the agent sent, each once: none of them may be missing in the end. */
  readonly words: string[] = [];

  constructor(random: SeededRandom, scene: SessionScene) {
    this.#random = random;
    this.#scene = scene;
  }

  /** A few things that come as one burst, then perhaps a moment in which all of it is stored. */
  async step(): Promise<void> {
    for (let left = this.#random.between(1, 6); left > 0; left -= 1) this.#say(this.#event());
    if (this.#random.fraction() < 0.5) await this.#act();
    if (this.#random.fraction() < 0.7) await this.#scene.service.flush();
    // Attaching an agent takes a moment; nothing waits for it.
    if (this.#random.fraction() < 0.3) await new Promise((resolve) => setImmediate(resolve));
  }

  /** The turn, if one runs, ends, and so do those that waited for it. */
  async finish(): Promise<void> {
    const { agents, service } = this.#scene;
    await new Promise((resolve) => setImmediate(resolve));
    await service.flush();
    for (let turns = 0; turns < 200 && this.#turn() !== null; turns += 1) {
      const current = this.#turn();
      if (current) agents.last.say({ type: "turn-ended", turnId: turnId(current), stopReason: "end_turn" });
      await service.flush();
    }
  }

  /** As far as it is decided: nothing that waits is hurried by looking. */
  #turn(): string | null {
    const { service, sessionId } = this.#scene;
    const turn = service.loaded().find(({ id }) => id === sessionId)?.state.turn;
    return !turn || turn.state === "idle" ? null : (turn.turnId ?? null);
  }

  #say(event: AgentEvent): void {
    this.#scene.agents.last.say(event);
  }

  #weighted<Result>(chances: readonly (readonly [number, () => Result])[]): Result {
    let left = this.#random.fraction() * chances.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, choose] of chances) {
      left -= weight;
      if (left < 0) return choose();
    }
    throw new Error("nothing to choose from");
  }

  #event(): AgentEvent {
    const text = this.#random.pick(WORDS);
    return this.#weighted<AgentEvent>([
      [30, () => this.#text(text)],
      [2, () => ({ type: "part", kind: this.#random.pick(KINDS), part: IMAGE })],
      [14, () => ({ type: "tool", patch: this.#patch() })],
      [3, () => ({ type: "tool-output", toolCallId: this.#random.pick(CALLS), text })],
      [3, () => ({ type: "plan", items: [{ content: text, priority: "high", status: "pending" }] })],
      [2, () => ({ type: "notice", severity: "info", content: text })],
      [1, () => ({ type: "title", title: text })],
      [1, () => ({ type: "usage", usage: { used: this.#random.between(0, 3), size: 9 } })],
      [1, () => ({ type: "commands", commands: [{ name: text, description: "" }] })],
      [3, () => this.#question()],
      [1, () => ({ type: "permission-withdrawn", permissionId: this.#someQuestion() })],
      [6, () => this.#turnEnd()],
      [1, () => ({ type: "lost", reason: "lost", state: this.#random.pick(["crashed", "idle"] as const) })],
      [1, () => ({ type: "silent" })],
      [1, () => ({ type: "cancel-ignored" })],
      [1, () => ({ type: "unknown", update: { sessionUpdate: text } })],
    ]);
  }

  #text(text: string): AgentEvent {
    const kind = this.#random.pick(KINDS);
    const word = `#${this.words.length} `;
    // Text in the user's name may be an echo, which is dropped.
    if (kind !== "user") this.words.push(word);
    return { type: "text", kind, text: kind === "user" ? text : text + word, ...this.#random.pick(MESSAGE_IDS) };
  }

  #patch(): ToolPatch {
    const some = <Part extends object>(part: Part) => (this.#random.fraction() < 0.4 ? part : {});
    return {
      toolCallId: this.#random.pick(CALLS),
      announced: this.#random.fraction() < 0.5,
      ...some({ name: this.#random.pick(["Read", "Run"]) }),
      ...some({ status: this.#random.pick(["running", "complete", "error"] as const) }),
      ...some({ result: "o".repeat(this.#random.between(0, 4)) }),
      ...some({ parts: [IMAGE] }),
    };
  }

  #question(): AgentEvent {
    this.#questions += 1;
    const asked = permissionId(`p${this.#questions}`);
    return { type: "permission-requested", permissionId: asked, patch: this.#patch(), options: OPTIONS };
  }

  /** One of the latest, open or not. */
  #someQuestion(): PermissionId {
    return permissionId(`p${Math.max(0, this.#questions - this.#random.between(0, 2))}`);
  }

  #turnEnd(): AgentEvent {
    const current = this.#random.fraction() < 0.8 ? this.#turn() : "of another run";
    const id = turnId(current ?? "none");
    if (this.#random.fraction() < 0.2)
      return { type: "turn-failed", turnId: id, error: { code: "AGENT_PROTOCOL_ERROR", message: "no" } };
    return { type: "turn-ended", turnId: id, stopReason: this.#random.pick(STOPS) };
  }

  async #act(): Promise<void> {
    const { send, history } = this.#scene;
    await this.#weighted<unknown>([
      [20, () => send({ type: "session:send", content: this.#random.pick(["go", "more", "😀 please"]) })],
      [4, () => send({ type: "session:cancel" })],
      [2, async () => send({ type: "session:queue-edit", items: (await history(1)).queue.slice(1) })],
      [2, () => send({ type: "session:retry" })],
      [1, () => send({ type: "session:rename", title: "Named" })],
      [1, () => send({ type: "session:archive" })],
      [1, () => send({ type: "session:unarchive" })],
      [6, () => send({ type: "permission:respond", permissionId: this.#someQuestion(), optionId: "yes" })],
    ]);
  }
}
