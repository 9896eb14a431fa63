/** The flags of `continuo approvals`, as they arrive. */

import type { ApprovalStatus } from "@continuo/server/runtime";
import type { ServerFlags } from "../channel/index.ts";
import type { StoreFlags } from "../store/index.ts";

export interface ApprovalsFlags extends StoreFlags, ServerFlags {}

export interface ListFlags extends ApprovalsFlags {
  readonly status: ApprovalStatus | "all";
}

export interface AnswerFlags extends ApprovalsFlags {
  readonly reason?: string;
}

export type Outcome = "granted" | "denied";
