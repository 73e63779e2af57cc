/** States why a rejection can be ignored; the reason is for the reader of the code. */
export function ignore(_reason: string): () => void {
  return () => undefined;
}
