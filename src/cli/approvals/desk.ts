/** The approvals of a store, or of a server. */

import { commandPrincipal } from "@continuo/agents/catalog";
import { present } from "@continuo/core/model";
import { isRecord } from "@continuo/core/wire";
import { type Approval, type ApprovalStatus, openContinuo } from "@continuo/server/runtime";
import { accessOf, callServer, type ServerAccess, strangeAnswer } from "../channel/index.ts";
import { openForCommand } from "../store/index.ts";
import type { Shell } from "../terminal/index.ts";
import type { ApprovalsFlags, Outcome } from "./flags.ts";

export interface Desk extends AsyncDisposable {
  list(status: ApprovalStatus | "all"): Promise<readonly Approval[]>;
  answer(id: string, answer: DeskAnswer): Promise<Approval>;
}

export interface DeskAnswer {
  readonly outcome: Outcome;
  readonly reason?: string;
}

export async function openDesk(flags: ApprovalsFlags, shell: Shell): Promise<Desk> {
  const isServer = flags.server !== undefined || flags.tokenFile !== undefined;
  return isServer ? deskOfServer(await accessOf(flags, shell)) : await deskOfStore(flags, shell);
}

/** Opens the store without running agents: the process that asked continues with the answer. */
async function deskOfStore(flags: ApprovalsFlags, shell: Shell): Promise<Desk> {
  const store = await openForCommand(flags, shell);
  const { approvals, close } = await openContinuo(store, { work: false });
  return {
    list: (status) => approvals.list(status === "all" ? {} : { status }),
    answer: (id, answer) => approvals.resolve(id, { ...answer, by: commandPrincipal().who }),
    async [Symbol.asyncDispose]() {
      await close();
      await store.close();
    },
  };
}

function deskOfServer(access: ServerAccess): Desk {
  const call = async (path: string, body?: DeskAnswer): Promise<unknown> =>
    await callServer(access, `/v1/approvals${path}`, body);
  return {
    async list(status) {
      const listed = await call(`?${new URLSearchParams({ status })}`);
      if (Array.isArray(listed) && listed.every(isApproval)) return listed;
      throw strangeAnswer(access.serverUrl);
    },
    async answer(id, { outcome, reason }) {
      const answered = await call(`/${encodeURIComponent(id)}`, present({ outcome, reason }));
      // The outcome is compared, because a server could have stored another outcome than the requested one.
      if (isApproval(answered) && answered.status === outcome) return answered;
      throw strangeAnswer(access.serverUrl);
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

function isApproval(value: unknown): value is Approval {
  return isRecord(value) && TEXTS.every((key) => typeof value[key] === "string");
}

const TEXTS = ["id", "status", "sessionId", "agent", "requestedAt"] as const;
