/** Capabilities of agents for tests: they only answer, unless they have native sessions. */

import { type AgentCapabilities, NO_CAPABILITIES } from "@continuo/core/model";

export const CANNOT: AgentCapabilities = { ...NO_CAPABILITIES, native: false };
