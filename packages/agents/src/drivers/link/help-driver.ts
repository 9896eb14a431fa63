/**
 * Drivers of agents with a protocol of their own, whose `--help` shows their capabilities, and which do not list their
 * sessions to other programs.
 */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type AgentDriver,
  type AgentName,
  type CallOptions,
  ContinuoError,
  type OpenConversation,
  present,
  type SessionCapabilities,
} from "@continuo/core/model";
import { firstAndLast, readOutput } from "../process/index.ts";
import { type KnownCapabilities, rememberCapabilities } from "./capabilities.ts";
import { beginConversation, type Link } from "./conversation.ts";
import { type OpeningMethods, openAgentSession } from "./open-conversation.ts";
import { commandOf, type DriverOptions, driverEnvironment, limitsOf, type ProgramName } from "./options.ts";

export interface AgentByHelp {
  readonly name: AgentName;
  readonly program: ProgramName;
  /** An argument that the help names if the program is this agent, in a version that Continuo can drive. */
  readonly needs: string;
  /** Pure. */
  readonly capabilitiesIn: (help: string) => SessionCapabilities;
  /** For an agent that writes into its home even for `--help`: the variables that name a temporary home. */
  readonly elsewhere?: (home: string) => Readonly<Record<string, string>>;
  readonly createLink: (parts: LinkParts) => LinkWithMethods;
}

export interface LinkParts {
  readonly options: DriverOptions;
  readonly open: OpenConversation;
  readonly command: readonly string[];
  readonly known: KnownCapabilities;
}

export interface LinkWithMethods extends Link {
  ways(call: CallOptions): OpeningMethods;
}

export function createDriverByHelp(agent: AgentByHelp, options: DriverOptions): AgentDriver {
  const { name, program, createLink } = agent;
  return {
    agent: name,
    async capabilities(call = {}) {
      return (await askHelp(agent, options, call)).capabilities;
    },
    listSessions: () => Promise.reject(noList(program.agent)),
    async open(open) {
      const command = commandOf(options, program);
      const link = createLink({ options, open, command, known: await askHelp(agent, options, open) });
      const begin = () => openAgentSession(link.ways(open), open, options);
      const { cwd, resumeSessionId: asked, signal } = open;
      const called = { agent: program.agent, name };
      return await beginConversation({ ...called, cwd, link, options, asked, signal, open: begin });
    },
  };
}

export function noList(agent: string): ContinuoError {
  return new ContinuoError("unsupported", `${agent} does not list its sessions to other programs`, {
    hint: "Run `continuo session list`, which reads them from disk.",
  });
}

interface OtherHelp {
  readonly version: string | null;
  readonly needs: string;
  readonly help: string;
}

function notDriven(agent: string, { version, needs, help }: OtherHelp): ContinuoError {
  const which = version === null ? agent : `${agent} ${version}`;
  return new ContinuoError(
    "agent_failed",
    `${which} is too old, or another program: its --help does not name ${needs.trim()}`,
    { hint: `Read what it printed: ${firstAndLast(help)}`, details: { agent, fault: "too old" } },
  );
}

async function askHelp(
  { program, needs, capabilitiesIn, elsewhere }: AgentByHelp,
  options: DriverOptions,
  { signal }: CallOptions,
): Promise<KnownCapabilities> {
  const command = commandOf(options, program);
  return await rememberCapabilities(options.places, command, async () => {
    const home = elsewhere === undefined ? null : await mkdtemp(join(tmpdir(), "continuo-help-"));
    const ask = (flag: string): Promise<string> =>
      readOutput({
        agent: program.agent,
        command: [...command, flag],
        cwd: home ?? options.places.home,
        env: { ...driverEnvironment(options), ...(home === null ? {} : elsewhere?.(home)) },
        limitMs: limitsOf(options).startMs,
        ...present({ signal }),
      });
    try {
      // Both calls must end before their home is removed.
      const asked = await Promise.allSettled([ask("--help"), ask("--version")]);
      const [help = "", printed = ""] = asked.map((answer) => {
        if (answer.status === "rejected") throw answer.reason;
        return answer.value;
      });
      const version = /\d+(\.\d+)+/u.exec(printed)?.[0] ?? null;
      if (!help.includes(needs)) throw notDriven(program.agent, { version, needs, help });
      return { capabilities: capabilitiesIn(help), version };
    } finally {
      if (home !== null) await rm(home, { recursive: true, force: true });
    }
  });
}
