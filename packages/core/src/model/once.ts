/** Work that is done once for all who need its result. */

export interface Once<T> {
  /** Begins the work, or waits for the one that began. A failure is not kept: the next call tries again. */
  get(): Promise<T>;
  /** The result of work that began and did not fail, without beginning any. */
  begun(): Promise<T | null>;
}

export function once<T>(make: () => Promise<T>): Once<T> {
  let made: Promise<T> | null = null;
  return {
    async get() {
      made ??= make();
      const own = made;
      try {
        return await own;
      } catch (error) {
        if (made === own) made = null;
        throw error;
      }
    },
    begun: async () => (await made?.catch(() => null)) ?? null,
  };
}
