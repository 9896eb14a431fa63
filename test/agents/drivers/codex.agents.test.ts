/** Codex through its own `codex app-server`. */

import { proveDriver } from "./contract.ts";
import { codex } from "./subjects/codex.ts";

proveDriver(codex);
