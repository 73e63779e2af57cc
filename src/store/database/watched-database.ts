import { DatabaseSync, type StatementSync } from "node:sqlite";

/** A database that reports every failed write, whoever made it. */
export class WatchedDatabase extends DatabaseSync {
  /** Called before the writer gets the error. */
  onFailed: (error: unknown) => void = () => undefined;

  override exec(sql: string): void {
    this.#watched(() => super.exec(sql));
  }

  override prepare(sql: string): StatementSync {
    const statement = super.prepare(sql);
    const { run } = statement;
    Reflect.set(statement, "run", (...values: unknown[]) => this.#watched(() => Reflect.apply(run, statement, values)));
    return statement;
  }

  #watched<Result>(work: () => Result): Result {
    try {
      return work();
    } catch (error) {
      this.onFailed(error);
      throw error;
    }
  }
}
