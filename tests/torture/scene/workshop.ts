import { mkdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { ClientRequest } from "../../../src/client/pending-requests.ts";
import type { CheckpointId } from "../../../src/protocol/changes.ts";
import { type Refusal, RefusalError } from "../../../src/protocol/errors.ts";
import type { CliType, ProjectId, SessionId } from "../../../src/protocol/ids.ts";
import type { ServerMessage } from "../../../src/protocol/server-messages.ts";
import { isTurnActive, type SessionState } from "../../../src/protocol/session-schema.ts";
import type { WorktreeId } from "../../../src/protocol/worktree-ref.ts";
import type { NewWorktree, Worktree } from "../../../src/protocol/worktrees.ts";
import { SeededRandom } from "../../support/seeded-random.ts";
import { type Message, SocketClient } from "../../support/socket-client.ts";
import { git, picture, write } from "../../workspace/git-scene.ts";
import { KeptTerminal } from "./kept-terminal.ts";
import { Reader } from "./reader.ts";
import type { TortureDirs } from "./torture-dirs.ts";
import type { TortureServer } from "./torture-server.ts";
import { Witness } from "./witness.ts";

const FILES = 120;
const LINES = 40;
const TURNS_TRIED_MAX = 5;
const ANSWER_MS_MAX = 120_000;
const WRITABLE_AGAIN_MS = 200;
const TREES_MAX = 3;
const WORK_FILES = 4;
/** Runs until it is ended. The number tells its process from all others. */
export const SERVICE_COMMAND = "echo up; exec sleep 864013";
export const SERVICE = "ticker";

export type Files = Readonly<Record<string, string>>;

/** A worktree and its session, and what must be in it. */
export interface Tree {
  readonly worktreeId: WorktreeId;
  /** Null when its session has moved elsewhere. */
  sessionId: SessionId | null;
  readonly name: string;
  readonly path: string;
  readonly branch: string;
  /** Every file of it, ignored ones too. */
  files: Files;
  tip: string;
  isRemoved: boolean;
  /** By checkpoint of its session, a file that it must hold, and all that were there. */
  readonly checkpoints: Map<CheckpointId, { readonly path: string; readonly content: string; readonly files: Files }>;
}

/** What is the user's own in their repository and changes only when they ask for it. */
export interface UserState {
  readonly refs: string;
  readonly stash: string;
  readonly config: string;
  readonly staged: string;
  readonly head: string;
}

/** What it needs of the scene around it. */
interface WorkshopScene {
  readonly dirs: TortureDirs;
  readonly server: TortureServer;
  until(obstacle: () => string | null): Promise<string | null>;
}

/** A user's repository with work in it, worktrees whose sessions write files, and a terminal that is always open. */
export class Workshop {
  readonly root: string;
  readonly scene: WorkshopScene;
  readonly trees: Tree[] = [];
  /** Of worktrees that were deleted for good before their work was merged. */
  readonly keptBranches = new Set<string>();
  /** How the steps that were to be cut off went. */
  readonly steps = { cutOff: 0, over: 0 };
  readonly #reader: Reader;
  readonly #cliType: CliType;
  #projectId: ProjectId | null = null;
  #terminal: KeptTerminal | null = null;
  #turns = 0;
  files: Files = {};
  userState: UserState | null = null;

  private constructor(scene: WorkshopScene, reader: Reader, cliType: CliType) {
    this.root = join(scene.dirs.root, "repository");
    this.scene = scene;
    this.#reader = reader;
    this.#cliType = cliType;
  }

  static async open(scene: WorkshopScene, cliType: CliType, seed: string): Promise<Workshop> {
    const random = new SeededRandom(`${seed}/workshop`);
    // What it is told of its sessions is compared with the store, not with what other readers were told.
    const reader = await Reader.open({ name: "workshop", server: scene.server, witness: new Witness(), random });
    const workshop = new Workshop(scene, reader, cliType);
    await workshop.#makeRepository();
    const added = await workshop.ask("project:added", { type: "project:add", path: workshop.root });
    workshop.#projectId = added.project.id;
    const { terminalId } = await workshop.ask("terminal:opened", {
      type: "terminal:open",
      projectId: workshop.projectId,
    });
    workshop.#terminal = await KeptTerminal.open(terminalId, () => workshop.connect());
    await workshop.look();
    return workshop;
  }

  get projectId(): ProjectId {
    if (this.#projectId === null) throw new Error("the project is not added yet");
    return this.#projectId;
  }

  get terminal(): KeptTerminal {
    if (this.#terminal === null) throw new Error("no terminal is open yet");
    return this.#terminal;
  }

  get main(): string {
    return git(this.root, "rev-parse", "refs/heads/main").trim();
  }

  /** Where worktrees are, and where those are that were removed. */
  get directories(): { readonly ready: string; readonly quarantine: string } {
    const root = join(this.scene.dirs.home, ".liminal-worktrees");
    return { ready: join(root, basename(this.root)), quarantine: join(root, ".quarantine") };
  }

  placeOf({ path, name, isRemoved }: Pick<Tree, "path" | "name" | "isRemoved">): string {
    return isRemoved ? join(dirname(dirname(path)), ".quarantine", name) : path;
  }

  /** The answer, over any number of server starts. A disk that is not writable yet is waited for. */
  async attempt(
    request: ClientRequest,
  ): Promise<ServerMessage | { readonly type: "refused"; readonly refusal: Refusal }> {
    const deadline = performance.now() + ANSWER_MS_MAX;
    for (;;) {
      const { promise: late, reject } = Promise.withResolvers<never>();
      const timer = setTimeout(() => reject(new Error(`${request.type} has no answer`)), ANSWER_MS_MAX);
      try {
        return await Promise.race([this.#reader.connection.request(request), late]);
      } catch (error) {
        if (!(error instanceof RefusalError)) throw error;
        const isForNow = error.refusal.code === "STORAGE_UNWRITABLE" && performance.now() < deadline;
        if (!isForNow) return { type: "refused", refusal: error.refusal };
        await Bun.sleep(WRITABLE_AGAIN_MS);
      } finally {
        clearTimeout(timer);
      }
    }
  }

  async ask<Type extends ServerMessage["type"]>(type: Type, request: ClientRequest): Promise<Message<Type>> {
    const answer = await this.attempt(request);
    if (answer.type !== type)
      throw new Error(`${request.type} was answered by ${JSON.stringify(answer).slice(0, 600)}`);
    return answer as Message<Type>;
  }

  /** A client of its own, which the next kill of the server cuts off. */
  connect(): Promise<SocketClient> {
    const { port, token } = this.scene.server;
    return SocketClient.connect({ url: `ws://127.0.0.1:${port}/ws?token=${token}` });
  }

  async list(): Promise<readonly Worktree[]> {
    const { worktrees } = await this.ask("worktree:list", { type: "worktree:list", projectId: this.projectId });
    return worktrees;
  }

  /** A session in a new worktree; what the server said to it. */
  create(create: NewWorktree): ReturnType<Workshop["attempt"]> {
    return this.createIn(this.projectId, create);
  }

  /** The same in another project, for a fault of its own. */
  createIn(projectId: ProjectId, create: NewWorktree = {}): ReturnType<Workshop["attempt"]> {
    return this.attempt({ type: "session:create", projectId, cliType: this.#cliType, worktree: { create } });
  }

  /** Known from now on, with the session that works there. */
  async keep(sessionId: SessionId, worktree: SessionState["worktree"]): Promise<Tree> {
    const listed = (await this.list()).find(({ worktreeId }) => worktreeId === worktree?.worktreeId);
    if (!listed || listed.branch === null) throw new Error(`no worktree of ${sessionId} is listed`);
    const { worktreeId, name, path, branch } = listed;
    const files = await picture(path);
    const tip = git(this.root, "rev-parse", `refs/heads/${branch}`).trim();
    const tree: Tree = {
      ...{ worktreeId, sessionId, name, path, branch, files, tip },
      ...{ isRemoved: false, checkpoints: new Map() },
    };
    this.trees.push(tree);
    return tree;
  }

  /** A new worktree with a session. */
  async newTree(): Promise<Tree> {
    const made = await this.create({});
    if (made.type !== "session:created") throw new Error(`no session: ${JSON.stringify(made)}`);
    return this.keep(made.sessionId, made.session.worktree);
  }

  /** One with a session and work that is not committed: one that is there, or a new one. */
  async treeWithWork(): Promise<Tree> {
    const known = this.trees.find(({ isRemoved, sessionId }) => !isRemoved && sessionId !== null);
    if (known) return known;
    const tree = await this.newTree();
    await this.work(tree, WORK_FILES);
    return tree;
  }

  stateOf(sessionId: SessionId): SessionState {
    return this.#reader.state(sessionId);
  }

  /** The agent writes so many files, by a turn; afterwards they are there and nothing else is. */
  async work(tree: Tree, count: number): Promise<void> {
    const sessionId = sessionOf(tree);
    if (this.stateOf(sessionId).seq === 0) this.#reader.follow(sessionId);
    for (let tries = 0; tries < TURNS_TRIED_MAX; tries++) {
      this.#turns += 1;
      const turn = String(this.#turns);
      const seen = this.#changes(sessionId);
      await this.ask("ok", { type: "session:send", sessionId, content: `#${turn} write ${count} 1` });
      const obstacle = await this.scene.until(() => this.#unsettled(sessionId, turn, seen));
      if (obstacle !== null) throw new Error(`a turn of the workshop does not end: ${obstacle}`);
      tree.files = await picture(tree.path);
      if (Array.from({ length: count }, (_, index) => `by-${turn}/${index}.txt`).every((path) => path in tree.files)) {
        await this.#noteCheckpoint(tree, `by-${turn}/0.txt`, `${turn}.0\n`);
        return;
      }
      // Its agent was killed by an earlier fault. What it wrote is there, and counts.
    }
    throw new Error(`${TURNS_TRIED_MAX} turns in ${tree.name} wrote nothing`);
  }

  /** The newest checkpoint must have this file from now on. */
  async #noteCheckpoint(tree: Tree, path: string, content: string): Promise<void> {
    const sessionId = sessionOf(tree);
    const { checkpoints } = await this.ask("checkpoint:list", { type: "checkpoint:list", sessionId });
    const newest = checkpoints.find(({ phase }) => phase === "after");
    if (newest) tree.checkpoints.set(newest.checkpointId, { path, content, files: tree.files });
  }

  /** What is on disk and in the repository is from now on what must be. */
  async look(): Promise<void> {
    this.files = await picture(this.root);
    this.userState = readUserState(this.root);
  }

  /** Only a few stay: the others are deleted for good, as the user would. */
  async tidy(): Promise<void> {
    while (this.trees.length > TREES_MAX) {
      const tree = this.trees.find(({ isRemoved }) => isRemoved) ?? this.trees[0];
      if (!tree) return;
      const { worktreeId, name } = tree;
      if (!tree.isRemoved) await this.ask("ok", { type: "worktree:remove", worktreeId });
      tree.isRemoved = true;
      await this.ask("ok", { type: "worktree:purge", worktreeId, name });
      await this.forget(tree);
    }
  }

  /** It was deleted for good. */
  async forget(tree: Tree): Promise<void> {
    this.trees.splice(this.trees.indexOf(tree), 1);
    if (tree.sessionId !== null)
      await this.ask("session:archived", { type: "session:archive", sessionId: tree.sessionId });
    // A branch goes only when another one has all its commits.
    const { branch, tip } = tree;
    const list = (...words: string[]) => git(this.root, "branch", "--format=%(refname:short)", ...words).trim();
    if (list("--list", branch) !== "") this.keptBranches.add(branch);
    else if (list("--contains", tip) === "") throw new Error(`the commits of ${branch} are gone`);
  }

  leave(): void {
    this.#reader.close();
  }

  #changes(sessionId: SessionId): number {
    const { settled, open } = this.#reader.state(sessionId);
    return [...settled, ...open].filter(({ type }) => type === "changes").length;
  }

  /** The turn has ended, and what it changed was looked at. */
  #unsettled(sessionId: SessionId, turn: string, changesBefore: number): string | null {
    const state = this.#reader.state(sessionId);
    if (isTurnActive(state.turn)) return `${sessionId} is ${state.turn.state}`;
    const entries = [...state.settled, ...state.open];
    const isThere = entries.some((entry) => entry.type === "user" && entry.content.startsWith(`#${turn} `));
    if (!isThere) return `${sessionId} does not show #${turn}`;
    // A turn whose agent was killed may have changed nothing.
    if (state.turn.stopReason !== "end_turn") return null;
    return this.#changes(sessionId) > changesBefore ? null : `${sessionId} does not show what #${turn} changed`;
  }

  async #makeRepository(): Promise<void> {
    const { root } = this;
    await mkdir(root);
    git(root, "init", "-q", "-b", "main");
    for (const [key, value] of [
      ["user.name", "The User"],
      ["user.email", "user@example.org"],
      ["gc.auto", "0"],
      ["torture.key", "mine"],
    ] as const)
      git(root, "config", key, value);
    const lines = (index: number) => Array.from({ length: LINES }, (_, line) => `${index}.${line}\n`).join("");
    const files = Array.from({ length: FILES }, (_, index) => [`d${index % 12}/f${index}.txt`, lines(index)]);
    await write(root, {
      ...Object.fromEntries(files),
      ".gitignore": ".env\nbuild/\n",
      ".worktreeinclude": ".env\n",
      "mine.txt": "committed\n",
      "liminal.json": JSON.stringify({ services: { [SERVICE]: { command: SERVICE_COMMAND, restart: "on-failure" } } }),
    });
    git(root, "add", "-A");
    git(root, "commit", "-qm", "first");
    git(root, "tag", "v1");
    git(root, "branch", "other");
    await write(root, { "mine.txt": "put aside\n" });
    git(root, "stash", "push", "-q", "-m", "aside");
    await write(root, { "mine.txt": "edited\n", "staged.txt": "staged\n", "notes.txt": "mine\n", ".env": "KEY=1\n" });
    git(root, "add", "staged.txt");
  }
}

export function readUserState(root: string): UserState {
  const refs = git(root, "for-each-ref", "--format=%(refname) %(objectname)").split("\n");
  return {
    refs: refs.filter((line) => !/^refs\/heads\/(liminal\/|main )/.test(line)).join("\n"),
    stash: git(root, "stash", "list", "--format=%H %gs"),
    config: git(root, "config", "--local", "--list"),
    staged: git(root, "diff", "--cached", "--raw", "--no-abbrev"),
    head: git(root, "symbolic-ref", "HEAD").trim(),
  };
}

export function sessionOf({ sessionId, name }: Tree): SessionId {
  if (sessionId === null) throw new Error(`no session works in ${name}`);
  return sessionId;
}
