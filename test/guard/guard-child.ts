/**
 * A process for the tests of the guard: makes one run or one restoration in the given home, and prints its memory in
 * KiB.
 */

import type { Places } from "@continuo/agents";
import { restoreGuardedSession } from "@continuo/native/editing";
import { runGuard } from "@continuo/native/editing/guard";

const [work = "", id = ""] = process.argv.slice(2);
const places: Places = { home: process.env.HOME ?? "", env: {} };
if (work === "restore") await restoreGuardedSession(id, { places });
else await runGuard({ places });
process.stdout.write(`${process.resourceUsage().maxRSS}\n`);
