/** Changes that are not stored, for callers that wait for them. */

export interface Changes {
  /** Grows with each change. */
  readonly version: number;
  tell(): void;
  /** Resolves at the next change after a version. */
  after(version: number): Promise<void>;
}

export function createChanges(): Changes {
  let version = 0;
  let next = Promise.withResolvers<void>();
  return {
    get version() {
      return version;
    },
    tell() {
      version += 1;
      next.resolve();
      next = Promise.withResolvers<void>();
    },
    after: async (seen) => {
      if (version === seen) await next.promise;
    },
  };
}

/**
 * Yields the items of an iterator, and `"changed"` after each change and after each pause of `pauseMs`. Ends with the
 * iterator.
 */
export async function* withChanges<T>(
  items: AsyncIterator<T, unknown>,
  changes: Changes,
  pauseMs: number,
): AsyncGenerator<T | "changed", void, void> {
  let seen = changes.version;
  let next = items.next();
  // After a caller has stopped reading, nobody else would handle this error.
  next.catch(() => undefined);
  try {
    for (;;) {
      let timer: NodeJS.Timeout | undefined;
      const paused = new Promise<"changed">((resolve) => {
        timer = setTimeout(resolve, pauseMs, "changed");
      });
      const changed = changes.after(seen).then(() => "changed" as const);
      const item = await Promise.race([next, changed, paused]).finally(() => clearTimeout(timer));
      if (item === "changed") {
        seen = changes.version;
        yield item;
      } else if (item.done === true) return;
      else {
        yield item.value;
        next = items.next();
        next.catch(() => undefined);
      }
    }
  } finally {
    void items.return?.()?.catch(() => undefined);
  }
}
