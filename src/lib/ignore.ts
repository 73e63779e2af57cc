/** Says why a rejection needs no one's attention; the reason is for the reader, the value goes nowhere. */
export function ignore(_reason: string): () => void {
  return () => undefined;
}
