/**
 * The process that the tests of a take-over kill. `HOME` is the home, and the arguments are the session and the folder.
 */

import { takeOver } from "@continuo/agents/handoff/mirroring";

const [id = "", into = ""] = process.argv.slice(2);
const { HOME = "", PATH } = process.env;
await takeOver(id, { places: { home: HOME, env: { PATH } }, into, now: new Date() });
