/**
 * Logins of agents through an editor: they are offered only for agents that asked for one, and the agent itself makes
 * and ends them.
 */

import { type ClientCapabilities, RequestError } from "@agentclientprotocol/sdk/unstable";
import { logIn, logOut } from "@continuo/agents/conversations";
import {
  type LoginChoice,
  type LoginMethod,
  loggedIn,
  noteLoggedOut,
  wantedLogins,
} from "@continuo/agents/drivers/acp";
import { ContinuoError, type ErrorCode, isContinuoError, messageOf, present } from "@continuo/core/model";
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
   * True if an agent can end its login: one whose login was offered, or one to which the person logged in through
   * Continuo, now or earlier.
   */
  readonly canEnd: boolean;
  /**
   * Ends the logins that were made through Continuo: each agent ends its own, and its chosen method is forgotten, so
   * that it asks again at its next start. Throws the protocol's error for an unknown method if the editor may not call
   * `method`; rejects with the errors of `logOut`, after all agents were asked. A login of an earlier connection that
   * Continuo cannot end is an error once: another logout would not end it either.
   */
  end(method: "logout" | "auth/logout", signal: AbortSignal): Promise<void>;
}

export interface LoginPrograms {
  readonly logIn: typeof logIn;
  readonly logOut: typeof logOut;
}

/** @param programs let the agent's program make and end the login */
export function createLogins(places: PlacesAt, programs: LoginPrograms = { logIn, logOut }): Logins {
  let wanted: readonly LoginChoice[] = [];
  let offered: readonly OfferedLogin[] = [];
  const chosen = new Map<string, string>();
  const canEnd = (): boolean => wanted.some(({ canLogOut }) => canLogOut) || loggedIn(places).length > 0;
  const endOne = async (agent: string, signal: AbortSignal): Promise<void> => {
    try {
      await programs.logOut({ agent, places, signal });
      chosen.delete(agent);
    } catch (error) {
      if (CANNOT_END.some((code) => isContinuoError(error, code))) noteLoggedOut(places, agent);
      throw error;
    }
  };
  return {
    offer() {
      wanted = wantedLogins(places);
      offered = wanted.flatMap(({ agent, methods }) =>
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
      await programs.logIn({ agent, methodId, places, signal });
      chosen.set(agent, methodId);
    },
    chosen: (agent) => chosen.get(agent),
    get canEnd() {
      return canEnd();
    },
    end(method, signal) {
      // In version 1 the capability allows the call, in version 2 an offered login does.
      const isAllowed = method === "logout" ? canEnd() : offered.length > 0;
      if (!isAllowed) throw RequestError.methodNotFound(method);
      const agents = new Set([...chosen.keys(), ...loggedIn(places)]);
      return Promise.allSettled([...agents].map((agent) => endOne(agent, signal))).then(throwFailures);
    },
  };
}

/** The agent left the configuration, is not installed, or ends no login for another program. */
const CANNOT_END: readonly ErrorCode[] = ["not_found", "agent_missing", "unsupported"];

/**
 * Errors: the only failure as it is, or one error with the words and the hints of all failures. It has their code, or
 * `agent_failed` if they have different ones.
 */
function throwFailures(ends: readonly PromiseSettledResult<void>[]): void {
  const errors = ends.flatMap((end) => (end.status === "rejected" ? [end.reason as unknown] : []));
  if (errors.length === 0) return;
  if (errors.length === 1) throw errors[0];
  const codes = new Set(errors.map((error) => (isContinuoError(error) ? error.code : "agent_failed")));
  const [code = "agent_failed", ...others] = codes;
  const hints = new Set(errors.flatMap((error) => (isContinuoError(error) ? (error.hint ?? []) : [])));
  throw new ContinuoError(
    others.length === 0 ? code : "agent_failed",
    errors.map(messageOf).join("; "),
    present({ hint: hints.size === 0 ? undefined : [...hints].join(" ") }),
  );
}

/**
 * Returns true for an editor that can show a login. Older editors report this in `_meta`, because the protocol had no
 * capability for it then.
 */
export function showsLogins({ auth, _meta }: ClientCapabilities): boolean {
  return auth?.terminal === true || _meta?.["terminal-auth"] === true;
}
