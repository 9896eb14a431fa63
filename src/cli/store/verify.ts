/** `store verify`: exit code 4 if the database, a log or a row differs from what was stored. */

import { checkDatabase, type LogVerification, verifyStore } from "@continuo/store";
import { formatCount, type Shell } from "../terminal/index.ts";
import { openForCommand, type StoreFlags } from "./command-store.ts";
import { type Fact, printFacts } from "./print.ts";

const DAMAGED = 4;

export async function runVerify(flags: StoreFlags, shell: Shell): Promise<number> {
  await using store = await openForCommand(flags, shell);
  const database = await checkDatabase(store);
  const bad: LogVerification[] = [];
  let logs = 0;
  let events = 0;
  let pruned = 0;
  for await (const verification of verifyStore(store)) {
    logs++;
    events += verification.checkedCount;
    pruned += verification.prunedCount;
    if (!verification.ok) bad.push(verification);
  }
  const facts: readonly Fact[] = [
    ["logs", formatCount(logs)],
    ["events", `${formatCount(events)} checked, ${formatCount(pruned)} of them pruned`],
    ["damaged", bad.length === 0 ? "none" : formatCount(bad.length)],
    ...bad.map(({ logId, firstBadSequence, reason = "" }): Fact => {
      return [logId, firstBadSequence === undefined ? reason : `event ${firstBadSequence}: ${reason}`];
    }),
    ["database", database.length === 0 ? "sound" : `${formatCount(database.length)} damaged places`],
    ...database.map((found, index): Fact => [`place ${index + 1}`, found]),
  ];
  const found = { logs, events, pruned, damaged: bad, database };
  await printFacts(shell, { facts, json: flags.json ? found : undefined });
  return bad.length + database.length === 0 ? 0 : DAMAGED;
}
