/** Yields every message of a session once, on all branches. */

import type { Leaf, Message } from "@continuo/core/model";

/** An opened session, native or not. */
export interface MessageSource {
  readonly leaves: readonly Leaf[];
  history(options?: {
    readonly leaf?: string;
    readonly signal?: AbortSignal;
  }): AsyncGenerator<Message, void, void>;
}

/** Yields the active branch first, then the messages that only other branches have. */
export async function* everyMessage(
  { leaves, history }: MessageSource,
  options: { readonly signal?: AbortSignal } = {},
): AsyncGenerator<Message, void, void> {
  const seen = new Set<string>();
  const branches = leaves.length > 1 ? leaves.map(({ id }) => ({ leaf: id })) : [{}];
  for (const branch of branches) {
    for await (const message of history({ ...branch, ...options })) {
      if (leaves.length > 1 && seen.has(message.id)) continue;
      seen.add(message.id);
      yield message;
    }
  }
}
