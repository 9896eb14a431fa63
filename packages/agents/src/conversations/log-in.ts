/** Requests of a person to an agent outside of a conversation: a check that it starts, a login, and its end. */

import { type AgentDriver, type CallOptions, ContinuoError, present } from "@continuo/core/model";
import type { PlacesAt } from "@continuo/files";
import { openDriver } from "../config/index.ts";
import { readTrustedSettings, settingsOf } from "./settings.ts";

export interface LogInOptions extends CallOptions {
  readonly agent: string;
  /** The agent's own id of the login method. */
  readonly methodId: string;
  readonly places: PlacesAt;
}

/** Resolves when the person is logged in. Errors: `not_found`, `unsupported`; `agent_failed` if the agent refuses. */
export async function logIn({ agent, methodId, places, signal }: LogInOptions): Promise<void> {
  const driver = await driverOf(agent, places);
  if (driver.logIn === undefined) {
    throw new ContinuoError("unsupported", `${agent} has no login that another program can start`, {
      hint: `Start ${agent} once by itself, and log in.`,
    });
  }
  await driver.logIn(methodId, present({ signal }));
}

/** Resolves when the login is ended. Errors: `not_found`, `unsupported`; `agent_failed` if the agent refuses. */
export async function logOut({ agent, places, signal }: Omit<LogInOptions, "methodId">): Promise<void> {
  const driver = await driverOf(agent, places);
  if (driver.logOut === undefined) {
    throw new ContinuoError("unsupported", `${agent} has no login that another program can end`, {
      hint: `Log out in ${agent} itself.`,
    });
  }
  await driver.logOut(present({ signal }));
}

async function driverOf(agent: string, places: PlacesAt): Promise<AgentDriver> {
  const { trust, configuration } = await readTrustedSettings(places, places.home, undefined);
  const settings = settingsOf(configuration, agent, {});
  return await openDriver(settings, places, { isTrusted: trust.isTrusted });
}

/**
 * Resolves if the agent's program starts and says what it can do. An answer of the same program is remembered, so that
 * an agent that starts slowly starts only once for this. A model has no program, so it passes.
 *
 * Errors: `not_found` for an unknown agent; those of the start of its program, such as `agent_missing`.
 */
export async function checkAgent(
  name: string,
  { places, signal }: CallOptions & { readonly places: PlacesAt },
): Promise<void> {
  const { trust, configuration } = await readTrustedSettings(places, places.cwd, undefined);
  const settings = settingsOf(configuration, name, {});
  if (settings.endpoint !== undefined) return;
  const driver = await openDriver(settings, places, { isTrusted: trust.isTrusted });
  await driver.capabilities(present({ cwd: places.cwd, signal }));
}
