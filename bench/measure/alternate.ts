import { median } from "./percentile.ts";

export interface Alternated<Sample> {
  readonly ours: readonly Sample[];
  readonly bare: readonly Sample[];
}

/** Alternates between both sides, so that other load on the machine affects them alike. */
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

/** The median of the ratios of the rounds: one disturbed round does not move it. */
export function medianRatio({ ours, bare }: Alternated<number>): number {
  return median(ours.map((value, round) => value / (bare[round] ?? Number.NaN)));
}
