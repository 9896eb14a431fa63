/** A channel in one line: its newest message, and how many participants are there. */

import type { Store } from "../model/index.ts";
import type { ChannelSummary } from "../wire/index.ts";
import { LIMITS } from "./limits.ts";
import { readRoster } from "./participants.ts";
import { readMessages } from "./read-messages.ts";

export async function summaryOf(store: Store, channel: string): Promise<ChannelSummary> {
  const [{ messages }, roster] = await Promise.all([
    readMessages(store, channel, { limit: 1 }),
    readRoster(store, channel),
  ]);
  const [newest] = messages;
  const agents = roster.filter(({ type }) => type !== "person").length;
  return {
    newest:
      newest === undefined ? null : { ...newest, content: newest.content.slice(0, LIMITS.summaryLength) },
    people: roster.length - agents,
    agents,
  };
}
