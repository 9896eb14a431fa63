/** What agents of tests can do: nothing but answer, unless they have native sessions. */

import type { AgentCapabilities } from "../../model/index.ts";

export const CANNOT: AgentCapabilities = {
  native: false,
  canList: false,
  canLoad: false,
  canContinueLast: false,
  canResume: false,
  canFork: false,
  canClose: false,
  canDelete: false,
};
