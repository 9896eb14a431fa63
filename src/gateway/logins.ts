/** Logins of agents by an editor: offered only for agents that asked for one, and made by the agent itself. */

import { type ClientCapabilities, RequestError } from "@agentclientprotocol/sdk/unstable";
import { logIn } from "@continuo/agents/conversations";
import { type LoginMethod, wantedLogins } from "@continuo/agents/drivers/acp";
import { ContinuoError } from "@continuo/core/model";
import type { PlacesAt } from "@continuo/files";

/** A way to log in under an id that no other agent's has. */
export interface OfferedLogin extends LoginMethod {
  readonly agent: string;
  /** The agent's own id of the way. */
  readonly methodId: string;
}

/** The way that needs nothing of a person: the registry of agents takes only agents that name a way. */
export const OWN_LOGIN = {
  id: "continuo",
  name: "Logins of your agents",
  description: "Continuo has no login: it uses those of the agents on this machine",
} as const;

export interface Logins {
  /** Those of agents that asked for a login when they were last started: nothing starts here. */
  offer(): readonly OfferedLogin[];
  /** True if the editor was offered a login of the agent. */
  isOffered(agent: string): boolean;
  /** Errors: `invalid` for a way that was not offered; those of `logIn`. */
  logIn(id: string, signal: AbortSignal): Promise<void>;
  /** The way in which the person logged in to an agent on this connection. */
  chosen(agent: string): string | undefined;
  /** A new start of an agent asks again. Errors: the method is not known where no login was offered. */
  forget(): void;
}

export function createLogins(places: PlacesAt): Logins {
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
      await logIn({ agent, methodId, places, signal });
      chosen.set(agent, methodId);
    },
    chosen: (agent) => chosen.get(agent),
    forget() {
      if (offered.length === 0) throw RequestError.methodNotFound("auth/logout");
      chosen.clear();
    },
  };
}

/** True for an editor that can lead a person through a login. Those of before the protocol had a word for it say so in `_meta`. */
export function showsLogins({ auth, _meta }: ClientCapabilities): boolean {
  return auth?.terminal === true || _meta?.["terminal-auth"] === true;
}
