/** pi through its own RPC mode. */

import { proveDriver } from "./contract.ts";
import { pi } from "./subjects/pi.ts";

proveDriver(pi);
