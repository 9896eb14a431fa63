/** The flags that `chat` and `repl` have in common. Nothing here does any work. */

import { type Command, InvalidArgumentError, Option } from "commander";
import type { OnMissing } from "../../../model/index.ts";

export interface TalkFlags {
  readonly agent?: string;
  readonly resume?: string;
  readonly continue?: true;
  readonly fork?: string;
  readonly cwd?: string;
  readonly continuation?: "auto" | "native" | "replay" | "none";
  readonly onMissing?: OnMissing;
  readonly permissions?: "safe" | "ask" | "unrestricted";
  readonly model?: string;
  readonly transport?: "native" | "acp";
  readonly timeout?: number;
  readonly store?: string;
  readonly workspace?: string;
}

export function addTalkOptions(command: Command): Command {
  return command
    .option(
      "-a, --agent <agent>",
      "who to talk to: claude, codex, gemini, pi, opencode, or one of continuo.yaml",
    )
    .addOption(
      new Option("--resume <id>", "go on with this session, Continuo's own or an agent's").conflicts([
        "continue",
        "fork",
      ]),
    )
    .addOption(new Option("--continue", "go on with the newest session of the folder").conflicts("fork"))
    .option("--fork <id>", "go on with a copy of this session")
    .option("--cwd <dir>", "the folder to work in (default: the session's, else the current one)")
    .addOption(
      new Option("--continuation <mode>", "how the agent gets what was said before").choices([
        "auto",
        "native",
        "replay",
        "none",
      ]),
    )
    .addOption(
      new Option("--on-missing <what>", "when the agent cannot resume the session (default: error)").choices([
        "error",
        "replay",
        "new",
      ]),
    )
    .addOption(
      new Option("--permissions <policy>", "what the agent may do (default: ask)").choices([
        "safe",
        "ask",
        "unrestricted",
      ]),
    )
    .option("--model <model>", "as the agent calls it")
    .addOption(
      new Option("--transport <how>", "the protocol to drive the agent by").choices(["native", "acp"]),
    )
    .addOption(
      new Option("--timeout <time>", "end a turn after this time: 30s, 10m, 2h").argParser(parseTime),
    )
    .option("--store <url>", "where the session is kept (default: the store of Continuo's home)")
    .option("--workspace <id>", "the workspace of the store (default: default)");
}

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

function parseTime(text: string): number {
  const [, count, unit = "s"] = /^(\d{1,7})(ms|s|m|h)?$/u.exec(text) ?? [];
  const ms = Number(count) * (UNIT_MS[unit] ?? 0);
  if (!(ms > 0)) throw new InvalidArgumentError("It must be a time: 30s, 10m, 2h.");
  return ms;
}
