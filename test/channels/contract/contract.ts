/** The channel contract: every sentence of `PROTOCOL.md` that a server keeps, over any engine. */

import type { Store } from "@continuo/core/model";
import { describe, expect, test } from "vitest";
import { checkSockets } from "../../wire/checked-sockets.ts";
import { openChannelServer } from "../open-channel.ts";
import type { ChannelCase } from "./case.ts";
import { changeCases } from "./changes.ts";
import { connectionCases } from "./connection.ts";
import { faultCases } from "./faults.ts";
import { messageCases } from "./messages.ts";
import { sessionCases } from "./sessions.ts";

export const CHANNEL_CASES: readonly ChannelCase[] = [
  ...connectionCases,
  ...messageCases,
  ...changeCases,
  ...sessionCases,
  ...faultCases,
];

/** Cases that wait for leases, or read much: on SQLite the full size tries them. */
const LONG: ReadonlySet<string> = new Set(["MSG-4", "REPLAY-4", "REPLAY-8"]);

/** `open` gives an empty store. */
export function channelContract(
  engine: string,
  open: () => Promise<Store>,
  which: "all" | "short" | "long" = "all",
): void {
  const cases = CHANNEL_CASES.filter(({ id }) => which === "all" || LONG.has(id) === (which === "long"));
  describe(`channels on ${engine}`, () => {
    for (const { id, title, run } of cases) {
      test(`${id}: ${title}`, async () => {
        using sockets = checkSockets();
        {
          await using store = await open();
          await using channel = await openChannelServer(store);
          await run(channel, store);
        }
        expect(sockets.problems, "frames that do not match `protocol/channel.json`").toEqual([]);
      });
    }
  });
}
