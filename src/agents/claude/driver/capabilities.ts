/** What this `claude` can do, by its own help. */

import type { CallOptions, SessionCapabilities } from "../../../model/index.ts";
import {
  type DriverOptions,
  driverEnvironment,
  type KnownCapabilities,
  limitsOf,
  NO_CAPABILITIES,
  rememberCapabilities,
} from "../../driver/index.ts";
import { readOutput } from "../../process/index.ts";
import { toSignal } from "../../reader/index.ts";
import { AGENT } from "./link.ts";

/** Neither `--help` nor `--version` writes a file (2.1.330). */
export async function claudeCapabilities(
  options: DriverOptions,
  command: readonly string[],
  { signal }: CallOptions,
): Promise<KnownCapabilities> {
  const ask = (flag: string): Promise<string> =>
    readOutput({
      agent: AGENT,
      command: [...command, flag],
      cwd: options.places.home,
      env: driverEnvironment(options),
      limitMs: limitsOf(options).startMs,
      ...toSignal(signal),
    });
  return await rememberCapabilities(options.places, command, async () => {
    const [help, version] = await Promise.all([ask("--help"), ask("--version")]);
    return {
      capabilities: capabilitiesIn(help),
      version: /\d+(\.\d+)+/u.exec(version)?.[0] ?? null,
    };
  });
}

/** Its sessions it lists to nobody; `--continue` we do ourselves, by our own list. Pure. */
export function capabilitiesIn(help: string): SessionCapabilities {
  const has = (flag: string): boolean => new RegExp(`(^|\\s)${flag}(?![\\w-])`, "mu").test(help);
  const canResume = has("--resume");
  return {
    ...NO_CAPABILITIES,
    canResume,
    canContinueLast: canResume && has("--continue"),
    canFork: canResume && has("--fork-session"),
    canClose: true,
  };
}
