/** How often a property is tried: a quarter in `npm test`, in full by `npm run test:full`. */

/** Whether this run is of the full size. */
export const ALL_ROUNDS: boolean = process.env.CONTINUO_ALL_ROUNDS === "1";

const QUICK_SHARE = 0.25;

/** @param all the count of the full size */
export function rounds(all: number): number {
  return ALL_ROUNDS ? all : Math.ceil(all * QUICK_SHARE);
}
