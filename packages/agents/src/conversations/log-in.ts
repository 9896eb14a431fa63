/** Logs in to an agent for a person who requested it outside of a conversation. */

import { type CallOptions, ContinuoError, present } from "@continuo/core/model";
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
  const { home } = places;
  const { trust, configuration } = await readTrustedSettings(places, home, undefined);
  const settings = settingsOf(configuration, agent, {});
  const driver = await openDriver(settings, places, { isTrusted: trust.isTrusted });
  if (driver.logIn === undefined) {
    throw new ContinuoError("unsupported", `${agent} has no login that another program can start`, {
      hint: `Start ${agent} once by itself, and log in.`,
    });
  }
  await driver.logIn(methodId, present({ signal }));
}
