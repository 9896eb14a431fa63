/** `sessionsOfAgent(agent)` returns the sessions of one agent as one object, which is simple to use. */

import {
  type AgentDriver,
  assertKnownOptions,
  type CallOptions,
  ContinuoError,
  type Conversation,
  cancellable,
  isAgentName,
  type KnownOptions,
  type OpenConversation,
  type SessionCapabilities,
} from "@continuo/core/model";
import { type Places, type PlacesAt, placesOfThisUser } from "@continuo/files";
import {
  assertOpenAgentOptions,
  OPEN_AGENT_OPTIONS,
  OPEN_OPTIONS,
  type OpenAgentOptions,
  openAgent,
} from "../drivers/index.ts";
import { isListedOnlyByAgent } from "./agent-lists.ts";
import { type ListQuery, listCatalog } from "./list.ts";
import { type AgentListOptions, lookUp } from "./look-up.ts";
import type { ListedSession } from "./rows.ts";

export interface SessionsOptions extends OpenAgentOptions {
  /** The folder of sessions that do not name one; the current one by default. */
  readonly cwd?: string;
}

export type ListSessionsOfAgent = Pick<
  ListQuery,
  "cwd" | "since" | "limit" | "archived" | "title" | "withProblems" | "signal"
>;

export type ResumeOptions = Partial<
  Omit<OpenConversation, "resumeSessionId" | "continueLast" | "forkSessionId">
>;

const {
  resumeSessionId: _,
  continueLast: __,
  forkSessionId: ___,
  ...RESUME_OPTIONS
}: KnownOptions<OpenConversation> = OPEN_OPTIONS;

const LIST_OPTIONS: KnownOptions<ListSessionsOfAgent> = {
  cwd: true,
  since: true,
  limit: true,
  archived: true,
  title: true,
  withProblems: true,
  signal: true,
};

export interface SessionsOfAgent {
  readonly agent: string;
  /**
   * Newest first. If Continuo reads the files of the agent, the list comes from them and no program is started; any
   * other agent is started and asked. Errors: `agent_missing`, `agent_failed`; `unsupported` if an agent that was asked
   * has no list.
   */
  list(options?: ListSessionsOfAgent): Promise<readonly ListedSession[]>;
  /** The abilities that the agent's program reports. Errors: `agent_missing`, `agent_failed`. */
  capabilities(options?: CallOptions): Promise<SessionCapabilities>;
  /**
   * Starts the agent in a session, which is given by its id, the beginning of its id, a path, or `last`. Close the
   * conversation when done.
   * Errors: `not_found`, `ambiguous`; those of `AgentDriver.open`.
   */
  resume(id: string, options?: ResumeOptions): Promise<Conversation>;
}

/**
 * The sessions of an agent that Continuo knows, of any other that speaks ACP (with its `command`), or of a driver.
 *
 * Errors of every member: `usage` for a name that is not one of our agents and has no command.
 */
export function sessionsOfAgent(agent: string | AgentDriver, options: SessionsOptions = {}): SessionsOfAgent {
  assertOpenAgentOptions("sessionsOfAgent", options, { ...OPEN_AGENT_OPTIONS, cwd: true });
  const { cwd = process.cwd(), ...opening } = options;
  const at: PlacesAt = { ...(options.places ?? placesOfThisUser()), cwd };
  const name = typeof agent === "string" ? agent : agent.agent;
  const driver = async (): Promise<AgentDriver> =>
    typeof agent === "string" ? await openAgent(agent, { ...opening, places: placesFrom(at) }) : agent;
  const list: SessionsOfAgent["list"] = async (wanted = {}) => {
    assertKnownOptions("list", wanted, LIST_OPTIONS);
    return await cancellable(wanted.signal, async () => {
      const drivers = isListedOnlyByAgent(name) ? [await driver()] : [];
      const found = await listCatalog({ ...wanted, agents: [name], drivers }, { places: at, store: null });
      const [failure] = found.failures;
      if (failure !== undefined) throw failure.error;
      return found.sessions;
    });
  };
  return {
    agent: name,
    list,
    capabilities: async (call = {}) => {
      assertKnownOptions("capabilities", call, { signal: true });
      const known = await cancellable(call.signal, async () =>
        (await driver()).capabilities({ ...call, cwd }),
      );
      // Continuo can list the sessions even if the agent cannot.
      return { ...known, canList: known.canList || isAgentName(name) };
    },
    async resume(id, how = {}) {
      assertKnownOptions("resume", how, RESUME_OPTIONS);
      return await cancellable(how.signal, async () => {
        const opened = await driver();
        const found = await sessionOf(id, opened, at);
        return await opened.open({ cwd: found.cwd ?? cwd, ...how, resumeSessionId: found.sessionId });
      });
    },
  };
}

function placesFrom({ home, env }: PlacesAt): Places {
  return { home, env };
}

/** Finds a session of this agent only. Errors: `not_found`, `ambiguous`. */
async function sessionOf(
  id: string,
  driver: AgentDriver,
  places: PlacesAt,
): Promise<{ readonly sessionId: string; readonly cwd: string | null }> {
  const { agent } = driver;
  const bare = id.startsWith(`${agent}:`) ? id.slice(agent.length + 1) : id;
  const name = bare === "last" ? `last:${agent}` : bare.includes("/") ? bare : `${agent}:${bare}`;
  const asking: AgentListOptions = {
    named: async (one) => (one === agent ? driver : null),
    lister: async () => null,
  };
  const located = await lookUp(name, { places, store: null, examples: "without examples", asking });
  if (located.kind === "told") return located.told;
  if (located.kind === "native" && located.native.found.agent === agent) {
    const { reader, found } = located.native;
    return await reader.skim(found, { part: "ends" });
  }
  throw new ContinuoError("not_found", `no session ${JSON.stringify(id)} of ${agent}`, {
    hint: "Use an id that `list()` returns.",
  });
}
