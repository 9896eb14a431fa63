/** Every message of a session once, in steps: like `everyMessage`, but any part can be read separately. */

import type { HistoryStep } from "@continuo/native/index-file";
import type { OpenedSession } from "@continuo/native/kit";

export interface EveryStep {
  readonly keys: readonly string[];
  /** For each step, the last line of the file that grows. */
  readonly lastLines: readonly number[];
  /** True if there are several branches. */
  readonly withIds: boolean;
  /** @param before ids of the messages before the step, if `withIds` */
  read(from: number, before: readonly string[], signal: AbortSignal | undefined): AsyncGenerator<HistoryStep>;
}

/** `null` for agents whose histories cannot be read in steps. */
export function everyStep({ leaves, steps }: OpenedSession): EveryStep | null {
  if (steps === undefined) return null;
  const withIds = leaves.length > 1;
  const branches = leaves.filter(({ active }) => withIds || active).map(({ id }) => steps(id));
  return {
    // The first key of a branch is marked, because each branch has its own beginning.
    keys: branches.flatMap(({ keys }) => keys.map((key, at) => (at === 0 ? `| ${key}` : key))),
    lastLines: branches.flatMap(({ lastLines }) => lastLines),
    withIds,
    async *read(from, before, signal) {
      const seen = new Set(before);
      const read = new Set<string>();
      let first = 0;
      for (const { keys, read: readSteps } of branches) {
        // Records that the branch shares with an earlier one are not read again.
        const isNew = (at: number): boolean => first + at >= from && !read.has(keys[at] ?? "");
        for await (const { step, messages } of readSteps(isNew, signal)) {
          yield {
            step: first + step,
            messages: withIds ? messages.filter(({ id }) => isFirst(seen, id)) : messages,
          };
        }
        for (const key of keys) read.add(key);
        first += keys.length;
      }
    },
  };
}

function isFirst(seen: Set<string>, id: string): boolean {
  const isNew = !seen.has(id);
  seen.add(id);
  return isNew;
}
