/** Gemini CLI through ACP. */

import { proveDriver } from "./contract.ts";
import { gemini } from "./subjects/gemini.ts";

proveDriver(gemini);
