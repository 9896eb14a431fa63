/** The agents as the proofs start them: each has a scratch home, and its model is a scripted server. */

import type { AgentName } from "@continuo/core/model";
import type { Subject } from "../contract.ts";
import { claude } from "./claude.ts";
import { codex } from "./codex.ts";
import { copilot } from "./copilot.ts";
import { gemini } from "./gemini.ts";
import { opencode } from "./opencode.ts";
import { pi } from "./pi.ts";

export const SUBJECTS: Readonly<Record<AgentName, Subject>> = {
  claude,
  codex,
  gemini,
  pi,
  opencode,
  copilot,
};
