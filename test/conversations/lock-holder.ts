/** A process that has a native session open: `node lock-holder.ts HOME AGENT SESSION [leaving]`. */

import { lockNative } from "@continuo/native/writing";

const [home = "", agent = "", sessionId = "", how] = process.argv.slice(2);
const lock = await lockNative({ agent, sessionId, places: { home, env: {} } });
if (how === "leaving") lock.leave();
process.stdout.write("held\n");
// The process runs until it is killed.
setInterval(() => undefined, 60_000);
