/**
 * A server process that stands still in the middle of a transaction: `node standing-server.ts STORE`. It prints
 * `standing`, stops itself while it holds the lock on the row of the log, and prints the sequence of its event after it
 * is continued.
 */

import { writeSync } from "node:fs";
import { openStore } from "@continuo/store";

const [url = ""] = process.argv.slice(2);
const store = await openStore(url);
const { engine } = store;
let stops = 0;
const sequence = await engine.write(function* (tx) {
  yield { sql: "select log_key from logs where log_id = 'shared' for update", parameters: [] };
  if (stops++ === 0) {
    writeSync(1, "standing\n");
    process.kill(process.pid, "SIGSTOP");
  }
  const text = "update logs set metadata = $1 where log_id = 'shared' returning head_sequence";
  const rows = yield { sql: text, parameters: [`{"stops":${stops}}`] };
  void tx;
  return (rows[0] as { readonly head_sequence: number }).head_sequence;
});
writeSync(1, `${sequence}\n`);
await store.close();
