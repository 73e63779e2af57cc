/** Everything outside the program that it may access; passed in by main.ts. */
export type World = {
  readonly now: () => number;
  readonly newId: (prefix: string) => string;
  readonly env: Readonly<Record<string, string | undefined>>;
};
