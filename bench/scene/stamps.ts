const STAMP = /n(\d+)t(\d+\.\d+);/g;

/** When the agent wrote each chunk in a text, by the chunk's number. */
export function stampsIn(text: string): { readonly number: number; readonly writtenAt: number }[] {
  return [...text.matchAll(STAMP)].map(([, number, writtenAt]) => ({
    number: Number(number),
    writtenAt: Number(writtenAt),
  }));
}

/** Prompts of the stamping agent. */
export const PACED = (count: number, everyMs: number) => `${count} every ${everyMs}`;
export const AT_RATE = (count: number, perSecond: number) => `${count} at ${perSecond}/s`;
