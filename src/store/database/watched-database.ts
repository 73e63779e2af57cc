import { DatabaseSync, type StatementSync } from "node:sqlite";

/** What our stores use of one. */
type Statement = Pick<StatementSync, "run" | "get" | "all" | "iterate">;

/** A database that reports every failed write, whoever made it. */
export class WatchedDatabase extends DatabaseSync {
  /** Called before the writer gets the error. */
  onFailed: (error: unknown) => void = () => undefined;

  override exec(sql: string): void {
    this.#watched(() => super.exec(sql));
  }

  /** A statement is prepared with its first use: a start makes two hundred, and needs few of them. */
  override prepare(sql: string): StatementSync {
    let prepared: StatementSync | null = null;
    const call =
      (name: keyof Statement) =>
      (...values: unknown[]) => {
        prepared ??= super.prepare(sql);
        return Reflect.apply(prepared[name], prepared, values);
      };
    const run = call("run");
    const statement: Statement = {
      run: (...values: unknown[]) => this.#watched(() => run(...values)),
      get: call("get"),
      all: call("all"),
      iterate: call("iterate"),
    };
    return statement as StatementSync;
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
