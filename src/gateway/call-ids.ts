/**
 * Makes ids of calls that are unique in a session. An agent may count its calls from 1 in each turn, and a session can have had several
 * agents. The same history gives the same ids.
 */
export class CallIds {
  readonly #counts = new Map<string, number>();
  readonly #current = new Map<string, string>();

  /** Returns the id of a call that begins. */
  begin(id: string): string {
    const count = (this.#counts.get(id) ?? 0) + 1;
    this.#counts.set(id, count);
    const shown = count === 1 ? id : `${id}~${count}`;
    this.#current.set(id, shown);
    return shown;
  }

  /** The unique id of the last call that began under this id; `null` if there is none. */
  now(id: string): string | null {
    return this.#current.get(id) ?? null;
  }
}
