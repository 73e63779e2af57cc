import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { FlowGate } from "../../lib/flow-gate.ts";
import { ignore } from "../../lib/ignore.ts";
import type { Lifeline } from "../process/lifeline.ts";
import type { HostedProcess, ProcessHost, ProcessSpec, SurvivingProcess } from "../process/process-host.ts";
import type { Kept } from "../process/sweep-leftovers.ts";
import { HeldProcess } from "./held-process.ts";
import { type HolderLimits, holdersFit, prepareHolder, readLabel, runHolder } from "./holder-files.ts";
import { endHolder, HolderLink } from "./holder-link.ts";
import type { HolderOrders } from "./holder-orders.ts";
import { readJournal } from "./journal.ts";
import { BrokenRecordError, type JournalRecord } from "./journal-record.ts";

interface HolderHostOptions extends HolderLimits {
  /** Contains one directory per holder. */
  readonly dir: string;
  /** The command that starts a holder. */
  readonly holder: readonly string[];
  /** Commands that the server itself runs for agents end with the server. */
  readonly lifeline: Lifeline;
  /** While it is closed, nothing is read from holders. */
  readonly flow: FlowGate;
  readonly onError: (error: unknown) => void;
}

export interface Survivors {
  readonly survivors: readonly SurvivingProcess[];
  /** Holders that answered, and everything that carries their ids: these must not be swept. */
  readonly kept: Kept;
}

/** Starts agents under holders. They outlive the server, and the next server resumes them. */
export class HolderHost implements ProcessHost {
  readonly #options: HolderHostOptions;

  constructor(options: HolderHostOptions) {
    this.#options = options;
    mkdirSync(options.dir, { recursive: true, mode: 0o700 });
  }

  static readonly fits = holdersFit;

  start(spec: ProcessSpec): HostedProcess {
    const { held, command, cwd, env } = spec;
    if (!held) throw new Error("a held process needs a name");
    const orders = prepareHolder(this.#options.dir, this.#options, { ...held, command, cwd, env });
    const { dir } = orders;
    const { checkpointBytes } = this.#options;
    const started = new HeldProcess(checkpointBytes, () => remove(dir));
    started.listen(spec);
    started.takePast();
    this.#options.lifeline.begin();
    this.#launch(orders, started).catch((error) => {
      started.lost(error instanceof Error ? error.message : String(error));
      remove(dir);
    });
    return started;
  }

  /** Processes of an earlier server: connected where the holder lives, else read from its journal. */
  async findSurvivors(): Promise<Survivors> {
    const ids = readdirSync(this.#options.dir, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    const found = await Promise.all(ids.map(({ name }) => this.#find(name)));
    const live = found.flatMap(({ id, process: { link, isHeld } }) =>
      link && isHeld ? [{ id, pid: link.hello.pid }] : [],
    );
    return {
      survivors: found.filter(({ isWanted }) => isWanted),
      kept: { pids: new Set(live.map(({ pid }) => pid)), runs: new Set(live.map(({ id }) => id)) },
    };
  }

  async #find(id: string) {
    const dir = join(this.#options.dir, id);
    const process = new HeldProcess(this.#options.checkpointBytes, () => remove(dir));
    try {
      await this.#connect(dir, process);
      await process.caughtUp;
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      receiveAll(readJournal(dir), process);
      process.lost("The agent's holder process is gone.");
    }
    const abandon = async () => {
      process.listen({ onLine: ignoreLine, onStderr: ignoreLine, onTooLong: ignoreLine });
      process.takePast();
      await process.stop();
      await process.release();
    };
    // A process that ended without being released has output that the last server could not store.
    const isWanted = process.link?.hello.isStopping !== true || process.hasEnded;
    // It is ending already: its remaining output is not needed.
    if (!isWanted) abandon().catch(this.#options.onError);
    return {
      abandon,
      id,
      process,
      isWanted,
      isAlive: process.isHeld && !process.hasEnded,
      label: readLabel(dir),
      place: null,
      start: (spec: ProcessSpec): HostedProcess => {
        process.listen(spec);
        this.#options.lifeline.begin();
        return process;
      },
    };
  }

  async #launch(orders: HolderOrders, held: HeldProcess): Promise<void> {
    await runHolder(this.#options.holder, orders);
    await this.#connect(orders.dir, held);
  }

  async #connect(dir: string, held: HeldProcess): Promise<void> {
    let unfollow = ignore("nothing is followed yet");
    const link = await HolderLink.open(dir, {
      onRecord: (record) => held.receive(record),
      // It would keep an agent that no server can read; its lifeline ends that agent.
      onBroken: endHolder,
      onClosed: () => {
        unfollow();
        held.lost("The agent's holder process ended.");
      },
    });
    unfollow = this.#options.flow.follow((isOpen) => link.setReading(isOpen));
    held.connected(link);
  }
}

/** Up to the first one that says nothing readable. */
function receiveAll(records: readonly JournalRecord[], process: HeldProcess): void {
  try {
    for (const record of records) process.receive(record);
  } catch (error) {
    if (!(error instanceof BrokenRecordError)) throw error;
  }
}

function remove(dir: string): void {
  rmSync(dir, { recursive: true, force: true });
}

const ignoreLine = ignore("no session continues with this process");
