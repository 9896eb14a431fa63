/** The channel contract: every sentence of `PROTOCOL.md`, over any engine. */

import { describe, test } from "vitest";
import type { Store } from "../../../src/model/index.ts";
import { openChannelServer } from "../open-channel.ts";
import type { ChannelCase } from "./case.ts";
import { connectionCases } from "./connection.ts";
import { faultCases } from "./faults.ts";
import { messageCases } from "./messages.ts";
import { sessionCases } from "./sessions.ts";

export const CHANNEL_CASES: readonly ChannelCase[] = [
  ...connectionCases,
  ...messageCases,
  ...sessionCases,
  ...faultCases,
];

/** `open` gives an empty store. */
export function channelContract(engine: string, open: () => Promise<Store>): void {
  describe(`channels on ${engine}`, () => {
    for (const { id, title, run } of CHANNEL_CASES) {
      test(`${id}: ${title}`, async () => {
        await using store = await open();
        await using channel = await openChannelServer(store);
        await run(channel, store);
      });
    }
  });
}
