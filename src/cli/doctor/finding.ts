/** The outcome of one check. */

import { isContinuoError, messageOf, present } from "@continuo/core/model";

export interface Finding {
  /** The subject of the check, such as `store` or the name of an agent. */
  readonly name: string;
  /** `missing`: the subject does not exist, which is not a fault. */
  readonly state: "fine" | "missing" | "warning" | "broken";
  readonly message: string;
  /** The advice, with one imperative sentence per line. */
  readonly hint?: string;
}

/** Returns the finding about a check that threw an error. */
export function findingOf(name: string, error: unknown): Finding {
  const hint = isContinuoError(error) ? error.hint : undefined;
  return { name, state: "broken", message: messageOf(error), ...present({ hint }) };
}
