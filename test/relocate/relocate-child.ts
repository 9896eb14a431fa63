/** The process that the tests of a relocation kill: `HOME` is the home, and the arguments are the old folder and the new one. */

import type { Places } from "@continuo/agents";
import { relocateProject, restoreNativeSession } from "@continuo/native/editing";

const [work = "", from = "", to = ""] = process.argv.slice(2);
const places: Places = { home: process.env.HOME ?? "", env: {} };
if (work === "relocate") await relocateProject(from, to, { places, write: "in place" });
else await restoreNativeSession(from, { places });
