/** Resolves with the first Ctrl-C, or a polite request to end. Further ones change nothing. */
export function untilInterrupted(): Promise<"interrupted"> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => resolve("interrupted"));
  });
}
