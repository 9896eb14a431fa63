/**
 * The program of the agent that answers: it is started when it is first needed, and ended when the conversation moves
 * to another session or agent.
 */

import { type EditorPort, present, type ToolServer } from "@continuo/core/model";
import type { PlacesAt } from "@continuo/files";
import { type ProjectTrust, restrictionFor } from "../config/index.ts";
import { type AskPermission, permissionsBy } from "../drivers/link/index.ts";
import { createAgent } from "./agents.ts";
import type { ConversationAgent } from "./conversation-agent.ts";
import { describeRestriction } from "./restrictions.ts";
import { nextPlace, type ProgramPlace, type TalkSetting, type TalkState } from "./state.ts";

export interface ProgramOptions {
  readonly setting: TalkSetting;
  readonly trust: ProjectTrust;
  readonly places: PlacesAt;
  /** Puts a question to the person; left out if nobody can answer. */
  readonly ask?: AskPermission;
  /** Tool servers that every agent of the conversation receives; see `OpenConversation.toolServers`. */
  readonly toolServers?: readonly ToolServer[];
  /** The editor of the person, for every agent that uses one; see `OpenConversation.editor`. */
  readonly editor?: EditorPort;
  /** `session`: the agent's program stays between turns. */
  readonly keepOpen: "session" | "turn";
  /** Reports what happens between turns: an imported session, input that nobody answered. */
  readonly note: (text: string) => void;
}

export interface Program {
  /** The agent, created from this state if there is none yet. Errors: `not_found`, `usage`. */
  ready(state: TalkState): Promise<ConversationAgent>;
  /** The place in which the program was started early; `null` if it was not. */
  readonly place: ProgramPlace | null;
  start(state: TalkState): Promise<void>;
  /** Starts the program and waits until it is ready. Errors: as `AgentDriver.open`. */
  check(state: TalkState): Promise<void>;
  /** Runs a turn. A wait of the driver is reported only during a turn, because only then a person waits. */
  whileSaying<T>(turn: () => Promise<T>): Promise<T>;
  /** See `ConversationAgent.rest`. */
  rest(): Promise<void>;
  end(): Promise<void>;
}

export function createProgram(options: ProgramOptions): Program {
  const { setting, trust, places, ask, keepOpen, note, toolServers, editor } = options;
  let agent: ConversationAgent | null = null;
  const waits = createWaitNotes(note);
  const noted = new Set<string>();

  const noteOnce = (line: string): void => {
    if (!noted.has(line)) note(line);
    noted.add(line);
  };
  /**
   * Before the agent starts, the person is asked once for each project, and learns once what the agent does not
   * receive.
   */
  const settleTrust = async ({ settings, session }: TalkState): Promise<void> => {
    const cwd = session?.cwd ?? setting.cwd;
    // A model has no program that could run the code of a project.
    if (settings.endpoint !== undefined) return;
    const restrictionNow = () => restrictionFor(settings, places, cwd, trust);
    if (restrictionNow()?.isTrusted === false) await trust.settle(cwd);
    const restriction = restrictionNow();
    if (restriction !== null) noteOnce(describeRestriction(settings.name, restriction));
  };
  const noteLeftOut = (model: string): void => {
    const names = (toolServers ?? []).map(({ name }) => name);
    if (names.length > 0) noteOnce(`${model} is a model, which gets no MCP servers: ${names.join(", ")}`);
  };
  const ready: Program["ready"] = async (state) => {
    if (agent !== null) return agent;
    const { settings, mode, effort } = state;
    const { policy, timeoutMs: timeLimitMs } = settings.permissions;
    await settleTrust(state);
    if (settings.endpoint !== undefined) noteLeftOut(settings.name);
    agent = await createAgent({
      settings,
      places,
      isTrusted: trust.isTrusted,
      cwd: setting.cwd,
      onPermission: permissionsBy(present({ policy, timeLimitMs, ask })),
      keepOpen,
      onWait: (waitMs, holder) => waits.wait({ name: settings.name, waitMs, holder }),
      ...present({ mode: mode ?? undefined, effort: effort ?? undefined, toolServers, editor }),
    });
    return agent;
  };
  return {
    ready,
    get place() {
      return agent?.place ?? null;
    },
    async start(state) {
      const starting = await ready(state);
      const next = nextPlace(state, setting);
      if (next !== null) starting.prepare(next);
    },
    async check(state) {
      const starting = await ready(state);
      const next = nextPlace(state, setting);
      if (next === null) return;
      const { nativeId, cwd } = next;
      if (nativeId === null) await starting.enter({ cwd });
      else if ((await starting.capabilities()).native) {
        await starting.enter({ cwd, resumeSessionId: nativeId });
      }
    },
    whileSaying: (turn) => waits.whileSaying(turn),
    async rest() {
      await agent?.rest();
    },
    async end() {
      const ending = agent;
      agent = null;
      await ending?.close();
    },
  };
}

interface ProgramWait {
  /** The name of the agent. */
  readonly name: string;
  readonly waitMs: number;
  /** The process that has the session, if that is the reason. */
  readonly holder: string | undefined;
}

interface WaitNotes extends Pick<Program, "whileSaying"> {
  wait(wait: ProgramWait): void;
}

function createWaitNotes(note: (text: string) => void): WaitNotes {
  let wait: ProgramWait | null = null;
  /** The time until which the driver waits before it opens a session, by `performance.now()`. */
  let untilMs = 0;
  let isSaying = false;
  const tell = (): void => {
    const leftMs = untilMs - performance.now();
    if (wait === null || leftMs <= 0) return;
    const { name, holder } = wait;
    const seconds = Math.ceil(leftMs / 1000);
    note(
      holder === undefined
        ? `waiting ${seconds} s: ${name} loses a session that it resumes in the minute it began in`
        : `waiting at most ${seconds} s: ${holder}`,
    );
  };
  return {
    wait(next) {
      wait = next;
      untilMs = performance.now() + next.waitMs;
      if (isSaying) tell();
    },
    async whileSaying(turn) {
      isSaying = true;
      tell();
      try {
        return await turn();
      } finally {
        isSaying = false;
      }
    },
  };
}
