/**
 * The agent that writes notes: one program for each session, which stays open between batches, and is closed when the
 * session ends or was idle for a while. It may only read.
 */

import { type DrivenAgent, toAgent } from "@continuo/agents/drivers/link";
import type { Agent, AgentDriver } from "@continuo/core/model";
import type { KeptAgent } from "@continuo/live";

export interface NoteAgentOptions {
  readonly name: string;
  readonly cwd: string;
  readonly model?: string;
  readonly openDriver: () => Promise<AgentDriver>;
  /** 5 minutes by default. */
  readonly idleMs?: number;
  /**
   * The number of programs that stay open, 8 by default: the one that was idle longest is closed first. A program is
   * not closed while it works, so more of them can be open.
   */
  readonly most?: number;
}

interface OpenAgent {
  readonly agent: DrivenAgent;
  timer: NodeJS.Timeout | undefined;
  turns: number;
}

/** Starts a program for each turn: for pages and questions, which several sessions can request at the same time. */
export function turnAgent(options: NoteAgentOptions): Agent {
  return {
    name: options.name,
    execute: async (request, call) => {
      const agent = await openAgent(options, "turn");
      try {
        return await agent.execute(request, call);
      } finally {
        await agent.close();
      }
    },
  };
}

/**
 * Keeps one program open for each session. A turn that names its native session continues in this session, even after
 * the program was closed.
 */
export function keptAgent(options: NoteAgentOptions): KeptAgent {
  const { idleMs = 300_000, most = 8 } = options;
  const open = new Map<string, OpenAgent>();
  const end = async (sessionId: string): Promise<void> => {
    const kept = open.get(sessionId);
    if (kept === undefined) return;
    open.delete(sessionId);
    clearTimeout(kept.timer);
    await kept.agent.close();
  };
  const makeRoom = async (): Promise<void> => {
    // The programs are in the order of their last turns.
    for (const [sessionId, { turns }] of open) {
      if (open.size < most) return;
      if (turns === 0) await end(sessionId);
    }
  };
  const take = async (sessionId: string): Promise<OpenAgent> => {
    const known = open.get(sessionId);
    if (known !== undefined) {
      open.delete(sessionId);
      open.set(sessionId, known);
      clearTimeout(known.timer);
      return known;
    }
    await makeRoom();
    const kept: OpenAgent = { agent: await openAgent(options, "session"), timer: undefined, turns: 0 };
    open.set(sessionId, kept);
    return kept;
  };
  return {
    name: options.name,
    execute: async (request, call) => {
      const { sessionId } = request.session;
      const kept = await take(sessionId);
      kept.turns++;
      try {
        return await kept.agent.execute(request, call);
      } finally {
        kept.turns--;
        if (open.get(sessionId) === kept) {
          kept.timer = setTimeout(() => void end(sessionId).catch(() => undefined), idleMs).unref();
        } else await kept.agent.close();
      }
    },
    end,
  };
}

async function openAgent(
  { name, cwd, model, openDriver }: NoteAgentOptions,
  keepOpen: "session" | "turn",
): Promise<DrivenAgent> {
  return toAgent(await openDriver(), {
    name,
    cwd,
    keepOpen,
    permissions: "safe",
    onPermission: async () => ({ outcome: "denied", by: "policy" }),
    ...(model === undefined ? {} : { model }),
  });
}
