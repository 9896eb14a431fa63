/**
 * fast-check with a fixed seed: the quick and the full size make the same cases in every run, so that a failure can be
 * repeated. `CONTINUO_SEED` names another seed; the soak size draws its own.
 */

import fc from "fast-check";

fc.configureGlobal({ seed: Number(process.env.CONTINUO_SEED ?? 20_261_122) });

export * from "fast-check";
export { default } from "fast-check";
