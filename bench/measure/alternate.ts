export interface Alternated<Sample> {
  readonly ours: readonly Sample[];
  readonly bare: readonly Sample[];
}

/** Takes both sides in turns: what else the machine does meanwhile meets them alike. */
export async function alternate<Sample>(
  rounds: number,
  sides: Readonly<Record<keyof Alternated<Sample>, (round: number) => Promise<Sample>>>,
): Promise<Alternated<Sample>> {
  const samples = { ours: [] as Sample[], bare: [] as Sample[] };
  for (let round = 0; round < rounds; round++) {
    samples.bare.push(await sides.bare(round));
    samples.ours.push(await sides.ours(round));
  }
  return samples;
}
