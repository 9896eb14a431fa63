/** opencode by its ACP. */

import { proveDriver } from "./contract.ts";
import { opencode } from "./subjects/opencode.ts";

proveDriver(opencode);
