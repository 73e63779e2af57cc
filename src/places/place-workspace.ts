import type { TerminalInfo } from "../protocol/terminals.ts";
import type { WorkspaceEvent } from "./contract.ts";
import { PlaceCommands } from "./place-commands.ts";
import type { PlaceLink } from "./place-link.ts";
import { PlaceTerminals } from "./place-terminals.ts";
import { PlaceWorkdirs } from "./place-workdirs.ts";
import { PlaceMerging, PlaceRadar, PlaceWorktrees } from "./place-worktrees.ts";

interface PlaceWorkspaceOptions {
  /** Of the place. */
  readonly name: string;
  /** False: the user has switched checkpoints off. */
  readonly checkpoints: boolean;
  readonly vaultBytesMax: number;
  /** Without a server for this long, a terminal ends. */
  readonly holdMs: number;
  readonly onTerminal: (terminal: TerminalInfo) => void;
  readonly onError: (error: unknown) => void;
}

/** The workspace of one place, as the server uses it. */
export class PlaceWorkspace {
  readonly workdirs: PlaceWorkdirs;
  readonly terminals: PlaceTerminals;
  readonly worktrees: PlaceWorktrees;
  readonly merging: PlaceMerging;
  readonly radar: PlaceRadar;
  readonly commands: PlaceCommands;
  readonly #options: PlaceWorkspaceOptions;

  constructor(link: PlaceLink, options: PlaceWorkspaceOptions) {
    const { name, checkpoints, vaultBytesMax, holdMs, onError } = options;
    this.#options = options;
    this.workdirs = new PlaceWorkdirs(link, onError);
    this.terminals = new PlaceTerminals(link, options);
    this.worktrees = new PlaceWorktrees(link, name, onError);
    this.merging = new PlaceMerging(link, name, onError);
    this.radar = new PlaceRadar(link, name, onError);
    this.commands = new PlaceCommands(link, name, onError);
    link.attend({
      begin: () => ({ checkpoints, vaultBytesMax, holdMs, running: this.workdirs.running }),
      watched: () => this.workdirs.watched,
      isWanted: () => this.workdirs.isWanted || this.terminals.isWanted,
      onEvent: (event) => this.#heard(event),
      onConnected: () => {
        this.workdirs.connected();
        this.terminals.connected();
        this.worktrees.connected();
        this.radar.connected();
      },
      onLost: () => {
        this.terminals.lost();
        this.radar.lost();
      },
      onGone: () => this.terminals.gone(),
    });
  }

  #heard(event: WorkspaceEvent): void {
    switch (event.kind) {
      case "changed":
        this.workdirs.changed(event.sessionId);
        return;
      case "discarded":
        this.workdirs.discarded(event);
        return;
      case "terminal":
        this.terminals.listed(event.terminals, event.terminal);
        return;
      case "output":
      case "output-ended":
        this.terminals.heard(event);
        return;
      case "worktrees":
        this.worktrees.changed(event.projectId);
        return;
      case "radar":
        this.radar.changed(event.projectId);
        return;
      case "fault":
        this.#options.onError(new Error(event.message));
        return;
      default:
        event satisfies never;
    }
  }
}
