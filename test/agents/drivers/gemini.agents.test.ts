/** Gemini CLI by its ACP. */

import { proveDriver } from "./contract.ts";
import { gemini } from "./subjects/gemini.ts";

proveDriver(gemini);
