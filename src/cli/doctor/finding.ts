/** The outcome of one check. */

import { isContinuoError, messageOf, present } from "@continuo/core/model";

export interface Finding {
  /** The thing that was looked at, such as `store` or the name of an agent. */
  readonly name: string;
  /** `missing`: it is not there, and nothing is wrong with that. */
  readonly state: "fine" | "missing" | "warning" | "broken";
  readonly message: string;
  /** The advice: an imperative sentence a line. */
  readonly hint?: string;
}

/** A check that failed. */
export function findingOf(name: string, error: unknown): Finding {
  const hint = isContinuoError(error) ? error.hint : undefined;
  return { name, state: "broken", message: messageOf(error), ...present({ hint }) };
}
