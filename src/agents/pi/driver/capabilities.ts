/** What this `pi` can do, by its own help. */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
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
import { AGENT } from "./program.ts";

/** In a home of its own, which is thrown away: `pi --help` writes into its home (1.5.2). */
export async function piCapabilities(
  options: DriverOptions,
  command: readonly string[],
  { signal }: CallOptions,
): Promise<KnownCapabilities> {
  return await rememberCapabilities(options.places, command, async () => {
    const home = await mkdtemp(join(tmpdir(), "continuo-pi-"));
    const ask = (flag: string): Promise<string> =>
      readOutput({
        agent: AGENT,
        command: [...command, flag],
        cwd: home,
        env: { ...driverEnvironment(options), PI_CODING_AGENT_DIR: home, PI_OFFLINE: "1" },
        limitMs: limitsOf(options).startMs,
        ...toSignal(signal),
      });
    try {
      const [help, version] = await Promise.all([ask("--help"), ask("--version")]);
      return {
        capabilities: capabilitiesIn(help),
        version: /\d+(\.\d+)+/u.exec(version)?.[0] ?? null,
      };
    } finally {
      await rm(home, { recursive: true, force: true });
    }
  });
}

/** Its sessions it lists to nobody; the last one we find ourselves. Pure. */
export function capabilitiesIn(help: string): SessionCapabilities {
  const has = (flag: string): boolean => new RegExp(`(^|\\s)${flag}(?![\\w-])`, "mu").test(help);
  const canResume = has("--session");
  return {
    ...NO_CAPABILITIES,
    canResume,
    canContinueLast: canResume && has("--continue"),
    canFork: has("--fork"),
    canClose: true,
  };
}
