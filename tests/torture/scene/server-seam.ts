import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { waitFor } from "../../support/wait-for.ts";
import { SEAM_ANSWER, SEAM_ORDER, SEAM_SIGNAL, SeamAnswer, type SeamOrder } from "./seam-words.ts";

/** The torture's hand inside the server's process. */
export class ServerSeam {
  readonly #dir: string;
  readonly #pid: () => number;
  #lastId = 0;

  constructor(dir: string, pid: () => number) {
    this.#dir = dir;
    this.#pid = pid;
  }

  /** Everything nobody refers to is freed; what the heap holds then. */
  collect(): Promise<SeamAnswer> {
    return this.#order({ clockOffsetMs: 0, collect: true });
  }

  async setClock(offsetMs: number): Promise<void> {
    await this.#order({ clockOffsetMs: offsetMs, collect: false });
  }

  #order(order: Omit<SeamOrder, "id">): Promise<SeamAnswer> {
    const id = ++this.#lastId;
    writeFileSync(join(this.#dir, SEAM_ORDER), JSON.stringify({ id, ...order }));
    process.kill(this.#pid(), SEAM_SIGNAL);
    const isAnswer = (answer: SeamAnswer | null): answer is SeamAnswer => answer?.id === id;
    return waitFor(() => this.#answer(), isAnswer, `the server to follow order ${id}`).then((answer) => {
      if (!isAnswer(answer)) throw new Error("no answer");
      return answer;
    });
  }

  #answer(): SeamAnswer | null {
    const path = join(this.#dir, SEAM_ANSWER);
    return existsSync(path) ? SeamAnswer.parse(JSON.parse(readFileSync(path, "utf8"))) : null;
  }
}
