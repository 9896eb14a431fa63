/** A case of the channel contract: the id of a sentence of `PROTOCOL.md`, and the check that proves it. */

import type { Store } from "@continuo/core/model";
import type { OpenChannel } from "../open-channel.ts";

export interface ChannelCase {
  readonly id: string;
  readonly title: string;
  readonly run: (channel: OpenChannel, store: Store) => Promise<void>;
}

export const LOG = "channels/team";

export async function typesIn(store: Store): Promise<readonly string[]> {
  return (await store.read(LOG)).events.map(({ type }) => type);
}

/** Checks repeatedly until the condition is true. */
export async function until(holds: () => Promise<boolean> | boolean, what: string): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`this did not become true: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
