/** GitHub Copilot CLI by its ACP. */

import { proveDriver } from "./contract.ts";
import { copilot } from "./subjects/copilot.ts";

proveDriver(copilot);
