/** `store verify`: exit code 4 when a log is not what was stored. */

import { type LogVerification, verifyStore } from "../../store/index.ts";
import { formatCount, type Shell } from "../terminal/index.ts";
import { openForCommand, type StoreFlags } from "./opened.ts";
import { type Fact, printFacts } from "./print.ts";

const DAMAGED = 4;

export async function runVerify(flags: StoreFlags, shell: Shell): Promise<number> {
  await using store = await openForCommand(flags, shell);
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
    ...bad.map(
      ({ logId, firstBadSequence, reason }): Fact => [logId, `event ${firstBadSequence}: ${reason}`],
    ),
  ];
  await printFacts(shell, { facts, json: flags.json ? { logs, events, pruned, damaged: bad } : undefined });
  return bad.length === 0 ? 0 : DAMAGED;
}
