/** Opens an agent from its configuration, ready for a conversation. */

import {
  type AgentDriver,
  type AgentName,
  ContinuoError,
  type Conversation,
  isAgentName,
  isContinuoError,
  type OpenConversation,
  present,
} from "@continuo/core/model";
import type { PlacesAt } from "@continuo/files";
import { isListedOnlyByAgent } from "../catalog/index.ts";
import { openDriver } from "../config/index.ts";
import { type ReplayWriter, toAgent } from "../drivers/link/index.ts";
import type { AgentOptions, ConversationAgent } from "./conversation-agent.ts";
import { TALK_LIMITS } from "./limits.ts";
import type { ProgramPlace } from "./state.ts";

/** The program is not started yet. Errors: `not_found`, `usage`. */
export async function createAgent(options: AgentOptions): Promise<ConversationAgent> {
  const { endpoint } = options.settings;
  if (endpoint === undefined) return await createProgramAgent(options);
  return await (await import("./model-conversation.ts")).createModelAgent(options, endpoint);
}

async function createProgramAgent(options: AgentOptions): Promise<ConversationAgent> {
  const { settings, places, cwd, onPermission, keepOpen, onWait, isTrusted } = options;
  const { mode, effort, toolServers, editor } = options;
  const { resumeId } = settings.session;
  const { writerWaitMs } = TALK_LIMITS;
  const early = startedEarly(
    await openDriver(settings, places, present({ onWait, isTrusted, writerWaitMs })),
  );
  const agent = toAgent(early.driver, {
    name: settings.name,
    cwd,
    keepOpen,
    onPermission,
    permissions: settings.permissions.policy,
    ...present({ model: settings.model ?? undefined, mode, effort, toolServers, editor }),
    ...(resumeId === "auto" ? {} : { resumeBy: resumeId }),
    ...(isAgentName(settings.name) ? { writeReplay: replayWriter(settings.name, options.places) } : {}),
  });
  const enter: ConversationAgent["enter"] = (entrance) =>
    early.start({
      ...entrance,
      onPermission,
      permissions: settings.permissions.policy,
      ...present({ onMissing: entrance.resumeSessionId === undefined ? undefined : "error" }),
      ...(resumeId === "auto" ? {} : { resumeBy: resumeId }),
      ...present({ model: settings.model ?? undefined, mode, effort, toolServers, editor }),
    });
  const prepare: ConversationAgent["prepare"] = ({ nativeId, cwd: folder }) => {
    const to = nativeId === null ? {} : { resumeSessionId: nativeId };
    // The error is ignored here; the turn that needs this conversation reports it.
    enter({ cwd: folder, ...to }).catch(() => undefined);
  };
  const opened = async (): Promise<Conversation | null> => agent.conversation ?? (await early.conversation());
  const close = async (): Promise<void> => {
    await early.drop();
    await agent.close();
  };
  let turns = 0;
  let resting: Promise<void> = Promise.resolve();
  return {
    name: agent.name,
    get conversation() {
      return agent.conversation;
    },
    async capabilities(call) {
      const known = await agent.capabilities(call);
      // While its program runs, even an agent that cannot resume a session can continue its conversation.
      return { ...known, native: known.native || agent.conversation !== null };
    },
    async execute(request, call) {
      turns += 1;
      try {
        await resting;
        return await agent.execute(request, call);
      } finally {
        turns -= 1;
      }
    },
    async rest() {
      if (turns > 0) return;
      resting = close();
      resting.catch(() => undefined);
      await resting;
    },
    prepare,
    enter,
    get place() {
      return early.place;
    },
    opened,
    async lister() {
      const { driver } = early;
      if (!(await driver.capabilities({ cwd })).canList) return null;
      return (await opened()) !== null || isListedOnlyByAgent(settings.name) ? driver : null;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

interface Early {
  readonly driver: AgentDriver;
  start(open: OpenConversation): Promise<Conversation>;
  /** Resolves when the conversation that `start` began is open; resolves with `null` if it could not be opened. */
  conversation(): Promise<Conversation | null>;
  readonly place: ProgramPlace | null;
  drop(): Promise<void>;
}

interface ConversationStart {
  readonly open: OpenConversation;
  readonly conversation: Promise<Conversation>;
  /** Stops the opening; does nothing once the conversation is open. */
  readonly stop: AbortController;
}

/** Returns a driver whose next conversation may already be open. */
function startedEarly(driver: AgentDriver): Early {
  let begun: ConversationStart | null = null;
  const drop = async (): Promise<void> => {
    const dropped = begun;
    begun = null;
    dropped?.stop.abort(new ContinuoError("interrupted", "nobody waits for the result any longer"));
    const conversation = await dropped?.conversation.catch(() => null);
    await conversation?.close();
  };
  return {
    driver: {
      agent: driver.agent,
      capabilities: (call) => driver.capabilities(call),
      listSessions: (list) => driver.listSessions(list),
      async open(open) {
        if (begun !== null && isSamePlace(begun.open, open)) {
          const taken = begun;
          begun = null;
          const askedAt = performance.now();
          try {
            return await unlessAborted(taken, open.signal);
          } catch (error) {
            // The program may have closed the conversation in the meantime. No turn waits the whole time twice.
            const hasWaited = performance.now() - askedAt >= TALK_LIMITS.writerWaitMs / 2;
            if (hasWaited || !isContinuoError(error, "session_live")) throw error;
          }
        }
        await drop();
        return await driver.open(open);
      },
    },
    async start(open) {
      const isBegun = begun !== null && isSamePlace(begun.open, open);
      if (begun !== null && isBegun && begun.open.wantHistory === open.wantHistory) {
        return await begun.conversation;
      }
      const stop = new AbortController();
      const opening = { open, stop, conversation: driver.open({ ...open, signal: stop.signal }) };
      begun = opening;
      const conversation = await opening.conversation;
      // The program has now reported which session is the last one.
      if (begun === opening && open.continueLast === true) {
        const { continueLast: _, ...rest } = open;
        begun = { ...opening, open: { ...rest, resumeSessionId: conversation.sessionId } };
      }
      return conversation;
    },
    conversation: async () => (await begun?.conversation.catch(() => null)) ?? null,
    get place() {
      if (begun === null) return null;
      return { nativeId: begun.open.resumeSessionId ?? null, cwd: begun.open.cwd };
    },
    drop,
  };
}

/** If a caller stops waiting, the opening is stopped, because an agent may otherwise take minutes. */
async function unlessAborted(
  { conversation, stop: opening }: ConversationStart,
  signal: AbortSignal | undefined,
): Promise<Conversation> {
  const stopped = Promise.withResolvers<never>();
  const stop = (): void => {
    opening.abort(signal?.reason);
    stopped.reject(signal?.reason);
  };
  if (signal?.aborted === true) stop();
  signal?.addEventListener("abort", stop, { once: true });
  try {
    return await Promise.race([conversation, stopped.promise]);
  } catch (error) {
    conversation.then(
      (late) => late.close(),
      () => undefined,
    );
    throw error;
  } finally {
    signal?.removeEventListener("abort", stop);
  }
}

function isSamePlace(a: OpenConversation, b: OpenConversation): boolean {
  return a.cwd === b.cwd && a.resumeSessionId === b.resumeSessionId && a.model === b.model;
}

/** Writes messages of other agents as a session of this agent, if Continuo can write its files. */
function replayWriter(name: AgentName, places: PlacesAt): ReplayWriter {
  return async (messages, options) => {
    const { replayWriterOf } = await import("../handoff/index.ts");
    return await replayWriterOf(name, places)(messages, options);
  };
}
