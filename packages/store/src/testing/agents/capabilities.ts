/** The capabilities of agents for tests: the agents only answer, unless they have native sessions. */

import { type AgentCapabilities, NO_CAPABILITIES } from "@continuo/core/model";

export const CANNOT: AgentCapabilities = { ...NO_CAPABILITIES, native: false };
