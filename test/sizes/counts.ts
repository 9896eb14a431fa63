/** The number of rounds of a property: a tenth in `npm test`, all in `npm run test:full` and in the soak. */

/** True if this run is of the full size. */
export const ALL_ROUNDS: boolean = process.env.CONTINUO_ALL_ROUNDS === "1";

const QUICK_SHARE = 0.1;
/** With fewer rounds, a property would be little more than an example. */
const FEWEST = 10;

/** @param all the count of the full size */
export function rounds(all: number): number {
  return roundsOfEach(all, 1);
}

/**
 * Returns the rounds for each case of a property that is tried for several cases.
 * @param all the count of the full size, for one case
 */
export function roundsOfEach(all: number, cases: number): number {
  return ALL_ROUNDS ? all : Math.min(all, Math.max(Math.ceil(FEWEST / cases), Math.ceil(all * QUICK_SHARE)));
}
