/** The approvals of a store, or of a server. */

import { commandPrincipal } from "@continuo/agents/catalog";
import { present } from "@continuo/core/model";
import { type Approval, type ApprovalStatus, openContinuo } from "@continuo/server/runtime";
import { accessOf, callServer, type ServerAccess } from "../channel/index.ts";
import { openForCommand } from "../store/index.ts";
import type { Shell } from "../terminal/index.ts";
import type { ApprovalsFlags, Outcome } from "./flags.ts";

export interface Desk extends AsyncDisposable {
  list(status: ApprovalStatus): Promise<readonly Approval[]>;
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

/** It runs no agent: the process that asked continues with the answer. */
async function deskOfStore(flags: ApprovalsFlags, shell: Shell): Promise<Desk> {
  const store = await openForCommand(flags, shell);
  const { approvals, close } = await openContinuo(store, { work: false });
  return {
    list: (status) => approvals.list({ status }),
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
    list: async (status) => (await call(`?${new URLSearchParams({ status })}`)) as readonly Approval[],
    answer: async (id, { outcome, reason }) =>
      (await call(`/${encodeURIComponent(id)}`, present({ outcome, reason }))) as Approval,
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}
