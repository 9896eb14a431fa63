/** Older versions of the agents that have their own protocol. Their tests run only with `--all-versions`. */

import { isWanted, PINNED } from "../../install.ts";
import type { Subject } from "../contract.ts";
import { claudeOf } from "./claude.ts";
import { codexOf } from "./codex.ts";
import { piOf } from "./pi.ts";

export const OLDER: readonly Subject[] = [
  ...(isWanted(PINNED.claude2197) ? [claudeOf("claude2197", "Claude Code 2.1.197")] : []),
  ...(isWanted(PINNED.codex163) ? [codexOf("codex163", "Codex 0.163.0")] : []),
  ...(isWanted(PINNED.pi087) ? [piOf("pi087", `pi ${PINNED.pi087.version}`)] : []),
  ...(isWanted(PINNED.pi073) ? [piOf("pi073", `pi ${PINNED.pi073.version}`)] : []),
];
