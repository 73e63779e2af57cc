/** Everything outside the program that it may look at; it enters in main.ts. */
export type World = {
  readonly now: () => number;
  readonly newId: (prefix: string) => string;
  readonly env: Readonly<Record<string, string | undefined>>;
};
