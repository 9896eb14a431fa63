/** Claude Code through its own `claude`. */

import { proveDriver } from "./contract.ts";
import { claude } from "./subjects/claude.ts";

proveDriver(claude);
