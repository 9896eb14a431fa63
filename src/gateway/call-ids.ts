/**
 * Makes ids of calls that are unique in a session. An agent may count its calls from 1 in each turn, and a session can
 * have had several agents. The same history gives the same ids.
 */

import { keepNewest } from "@continuo/core/model";
import { GATEWAY_LIMITS } from "./limits.ts";

export class CallIds {
  /** For each id of an agent, the number of calls that had it. The id that began last is at the end. */
  readonly #counts = new Map<string, number>();

  /** The number of ids that are known. */
  get size(): number {
    return this.#counts.size;
  }

  /** Returns the id of a call that begins. */
  begin(id: string): string {
    const count = (this.#counts.get(id) ?? 0) + 1;
    this.#counts.delete(id);
    this.#counts.set(id, count);
    keepNewest(this.#counts, GATEWAY_LIMITS.callIds);
    return shownAs(id, count);
  }

  /** The unique id of the last call that began under this id; `null` if there is none. */
  now(id: string): string | null {
    const count = this.#counts.get(id);
    return count === undefined ? null : shownAs(id, count);
  }
}

function shownAs(id: string, count: number): string {
  return count === 1 ? id : `${id}~${count}`;
}
