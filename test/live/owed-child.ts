/**
 * `owed-child.ts STORE NOW KIND KILL_AT`: a server that is killed while it writes the notes of a stand-in again, for a
 * session that `ended` or is `open`. It kills itself before its write number KILL_AT, or in the call of the note writer
 * at that number. Otherwise it prints the number of these moments at its end.
 */

import type { Store } from "@continuo/core/model";
import { openStore } from "@continuo/store";
import { serviceAway } from "./away.ts";

const [url = "", now = "0", kind = "ended", killAt = "0"] = process.argv.slice(2);
const WRITES: ReadonlySet<unknown> = new Set([
  "append",
  "putClaim",
  "deleteClaim",
  "closeLog",
  "acquireLease",
  "renewLease",
  "releaseLease",
]);

let moments = 0;

function moment(): void {
  moments += 1;
  if (moments === Number(killAt)) process.kill(process.pid, "SIGKILL");
}

let clockMs = (): number => Number(now);
const opened = await openStore(url, { now: () => clockMs() });
const store = new Proxy(opened, {
  get: (target, name) => {
    const value: unknown = Reflect.get(target, name);
    if (typeof value !== "function") return value;
    return (...args: readonly unknown[]): unknown => {
      if (WRITES.has(name)) moment();
      return Reflect.apply(value, target, args);
    };
  },
}) as Store;
const live = await serviceAway({ store, startMs: Number(now) });
clockMs = () => live.clock.now();
const { writer, service } = live;
const { write } = writer;
writer.write = async (request, call) => {
  const result = await write(request, call);
  moment();
  return result;
};
writer.failures = 0;
if (kind === "ended") await service.late.run();
else {
  await service.open("k", { videoId: "v" });
  await live.clock.advance(620_000);
}
await service.stop();
await opened.close();
process.stdout.write(`${moments}\n`);
