/** A process of the tests of the guard: one run, or one restoration, in the home that it is given. It prints the KiB that it took. */

import type { Places } from "@continuo/agents";
import { restoreGuardedSession } from "@continuo/native/editing";
import { runGuard } from "@continuo/native/editing/guard";

const [work = "", id = ""] = process.argv.slice(2);
const places: Places = { home: process.env.HOME ?? "", env: {} };
if (work === "restore") await restoreGuardedSession(id, { places });
else await runGuard({ places });
process.stdout.write(`${process.resourceUsage().maxRSS}\n`);
