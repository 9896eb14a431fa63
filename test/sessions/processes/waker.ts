/**
 * A process that wakes a session again and again until its standard input ends: `waker.ts STORE SESSION`. It prints one
 * line each time.
 */

import { openStore } from "@continuo/store";
import { wake } from "@continuo/store/sessions";

const [, , url = "", sessionId = ""] = process.argv;
await using store = await openStore(url);
let isOver = false;
process.stdin.on("end", () => {
  isOver = true;
});
process.stdin.resume();
while (!isOver) {
  const { unprocessed } = await wake(store, sessionId);
  process.stdout.write(`${JSON.stringify(unprocessed.map(({ runId }) => runId))}\n`);
  await new Promise((next) => setImmediate(next));
}
