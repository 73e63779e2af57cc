/** Runs tasks one after another, in order. A failed task does not keep the next from running. */
export class TaskQueue {
  #last: Promise<unknown> = Promise.resolve();

  /** Resolves or rejects as the task does. */
  run<Result>(task: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(task);
    this.#last = result.catch(() => undefined);
    return result;
  }
}
