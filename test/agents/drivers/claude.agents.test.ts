/** Claude Code through its own program `claude`, without an adapter. */

import { proveDriver } from "./contract.ts";
import { claude } from "./subjects/claude.ts";

proveDriver(claude);
