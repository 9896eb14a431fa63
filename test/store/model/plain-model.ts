/** The simplest possible store: arrays and maps, without hashes or storage. */

export interface PlainEvent {
  readonly id: string;
  readonly type: string;
  readonly value: number | null;
}

interface PlainLog {
  readonly events: PlainEvent[];
  closed: boolean;
}

export class PlainModel {
  readonly logs: Map<string, PlainLog> = new Map();
  readonly #tokens = new Map<string, number>();
  readonly #cursors = new Map<string, number>();

  create(logId: string): "ok" | "conflict" {
    const log = this.logs.get(logId);
    if (log !== undefined) return log.closed ? "conflict" : "ok";
    this.logs.set(logId, { events: [], closed: false });
    return "ok";
  }

  /** The sequences, or the code of the refusal. */
  append(
    logId: string,
    events: readonly PlainEvent[],
    options: { readonly expected?: number | undefined; readonly token?: number | undefined } = {},
  ): readonly number[] | string {
    const log = this.logs.get(logId);
    if (log === undefined) return "not_found";
    const found = events.map((event) => log.events.findIndex((stored) => stored.id === event.id));
    const known = found.filter((index) => index >= 0);
    if (known.length > 0) {
      const same = events.every((event, n) => {
        const stored = log.events[found[n] ?? -1];
        // A pruned payload is compared by its hash. The model keeps its value after a minus sign in place of the hash.
        return (
          stored !== undefined && stored.type === event.type && this.#valueOf(logId, stored) === event.value
        );
      });
      return same ? found.map((index) => index + 1) : "conflict";
    }
    if (options.token !== undefined && options.token !== this.#tokens.get("lease")) return "fenced";
    if (log.closed) return "log_closed";
    if (options.expected !== undefined && options.expected !== log.events.length) return "conflict";
    const from = log.events.length;
    log.events.push(...events);
    return events.map((_, n) => from + n + 1);
  }

  readonly #redacted = new Map<string, number | null>();

  #valueOf(logId: string, event: PlainEvent): number | null {
    const key = this.#ownerOf(logId, event);
    return key === undefined ? event.value : (this.#redacted.get(key) ?? null);
  }

  #ownerOf(logId: string, event: PlainEvent): string | undefined {
    return event.value === null && this.logs.has(logId) ? event.id : undefined;
  }

  /** Event ids are unique over all logs of a run, so that a redaction also applies to forks. */
  redact(logId: string, sequence: number, owns: boolean): "ok" | string {
    const log = this.logs.get(logId);
    if (log === undefined) return "not_found";
    const event = log.events[sequence - 1];
    if (event === undefined) return "out_of_range";
    if (!owns) return "conflict";
    if (event.value !== null) this.#redacted.set(event.id, event.value);
    for (const other of this.logs.values()) {
      other.events.forEach((stored, n) => {
        if (
          stored === event ||
          (stored.id === event.id && stored.value === event.value && n === sequence - 1)
        ) {
          other.events[n] = { ...stored, value: null };
        }
      });
    }
    return "ok";
  }

  fork(logId: string, at: number, newLogId: string): "ok" | string {
    const log = this.logs.get(logId);
    if (log === undefined) return "not_found";
    if (at > log.events.length) return "out_of_range";
    this.logs.set(newLogId, { events: log.events.slice(0, at), closed: false });
    return "ok";
  }

  close(logId: string): "ok" | "not_found" {
    const log = this.logs.get(logId);
    if (log === undefined) return "not_found";
    log.closed = true;
    return "ok";
  }

  commit(logId: string, name: string, sequence: number): number | string {
    const log = this.logs.get(logId);
    // A log that does not exist yet has readers, who wait at its beginning.
    if (log === undefined && sequence > 0) return "not_found";
    if (sequence > (log?.events.length ?? 0)) return "out_of_range";
    const key = JSON.stringify([logId, name]);
    const stands = Math.max(sequence, this.#cursors.get(key) ?? 0);
    this.#cursors.set(key, stands);
    return stands;
  }

  lease(): number {
    const token = (this.#tokens.get("lease") ?? 0) + 1;
    this.#tokens.set("lease", token);
    return token;
  }
}
