/**
 * Values of options, which a program in plain JavaScript may give in any form: a limit of `NaN` limits nothing, and a
 * misspelt word chooses something else.
 */

import { ContinuoError } from "./errors.ts";
import { nearest } from "./nearest.ts";

/** `least` has the smallest value of each option that is a number. Errors: `usage`. */
export function assertNumbers(options: object, least: Readonly<Record<string, number>>): void {
  for (const [name, min] of Object.entries(least)) {
    const value = (options as Readonly<Record<string, unknown>>)[name];
    // NaN fails this comparison.
    if (value === undefined || (typeof value === "number" && value >= min)) continue;
    throw new ContinuoError("usage", `${name} must be a number of at least ${min}`);
  }
}

/** Errors: `usage`, with the choice that was probably meant. */
export function assertChoice(name: string, value: unknown, choices: readonly string[]): void {
  if (value === undefined || choices.some((choice) => choice === value)) return;
  const meant = typeof value === "string" ? nearest(value, choices) : null;
  throw new ContinuoError("usage", `${name} must be one of ${choices.join(", ")}`, {
    ...(meant === null ? {} : { hint: `Use ${meant}.` }),
  });
}
