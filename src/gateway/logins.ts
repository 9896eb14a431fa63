/**
 * Logins of agents through an editor: they are offered only for agents that asked for one, and the agent itself makes
 * them.
 */

import { type ClientCapabilities, RequestError } from "@agentclientprotocol/sdk/unstable";
import { logIn } from "@continuo/agents/conversations";
import { type LoginMethod, wantedLogins } from "@continuo/agents/drivers/acp";
import { ContinuoError } from "@continuo/core/model";
import type { PlacesAt } from "@continuo/files";

/** A login method with an id that is unique over all agents. */
export interface OfferedLogin extends LoginMethod {
  readonly agent: string;
  /** The agent's own id of the method. */
  readonly methodId: string;
}

/** The method that asks nothing of a person; the registry of agents accepts only agents that name a method. */
export const OWN_LOGIN = {
  id: "continuo",
  name: "Logins of your agents",
  description: "Continuo has no login: it uses those of the agents on this machine",
} as const;

export interface Logins {
  /** Returns the logins of agents that asked for one when they last ran; nothing starts here. */
  offer(): readonly OfferedLogin[];
  /** True if the editor was offered a login of the agent. */
  isOffered(agent: string): boolean;
  /** Errors: `invalid` for a method that was not offered; those of `logIn`. */
  logIn(id: string, signal: AbortSignal): Promise<void>;
  /** The method by which the person logged in to an agent on this connection. */
  chosen(agent: string): string | undefined;
  /**
   * Forgets the chosen methods, so that an agent asks again at its next start. Errors: if no login was offered, the
   * protocol's error for an unknown method.
   */
  forget(): void;
}

/** @param start lets the agent's program make the login */
export function createLogins(places: PlacesAt, start: typeof logIn = logIn): Logins {
  let offered: readonly OfferedLogin[] = [];
  const chosen = new Map<string, string>();
  return {
    offer() {
      offered = wantedLogins(places).flatMap(({ agent, methods }) =>
        methods.map(({ id, name, description }) => ({
          id: `${agent}:${id}`,
          name: `${agent}: ${name}`,
          description,
          agent,
          methodId: id,
        })),
      );
      return offered;
    },
    isOffered: (agent) => offered.some((one) => one.agent === agent),
    async logIn(id, signal) {
      const method = offered.find((one) => one.id === id);
      if (method === undefined) {
        throw new ContinuoError("invalid", `there is no way ${JSON.stringify(id)} to log in`, {
          hint: "Choose one of those that `initialize` named.",
        });
      }
      const { agent, methodId } = method;
      await start({ agent, methodId, places, signal });
      chosen.set(agent, methodId);
    },
    chosen: (agent) => chosen.get(agent),
    forget() {
      if (offered.length === 0) throw RequestError.methodNotFound("auth/logout");
      chosen.clear();
    },
  };
}

/**
 * Returns true for an editor that can show a login. Older editors report this in `_meta`, because the protocol had no
 * capability for it then.
 */
export function showsLogins({ auth, _meta }: ClientCapabilities): boolean {
  return auth?.terminal === true || _meta?.["terminal-auth"] === true;
}
