/** Finds stored approvals: by their own id, by the ids with which agents asked, and by the first run of their input. */

import { setTimeout as sleep } from "node:timers/promises";
import {
  ContinuoError,
  isEvent,
  listAll,
  type Page,
  type Run,
  readAll,
  type Store,
} from "@continuo/core/model";
import { PREFIX, type StoredApproval } from "./stored-approval.ts";

export const MAX_LISTED = 1_000;
/** The pauses in milliseconds between two looks for a stored approval, or for the event of its question. */
export const STORED_WITHIN_MS: readonly number[] = [10, 25, 50, 100, 200, 400];

export interface ApprovalFilter {
  readonly status?: string;
  /** The first run of the input. */
  readonly owner?: string;
}

export function claimsOf(
  store: Store,
  filter: ApprovalFilter = {},
): AsyncGenerator<StoredApproval, void, void> {
  return listAll(async (place) => {
    const page = await store.listClaims({ prefix: PREFIX, limit: MAX_LISTED, ...filter, ...place });
    return page as Page<StoredApproval>;
  });
}

export async function getApproval(store: Store, id: string): Promise<StoredApproval | null> {
  return (await store.getClaim(PREFIX + id)) as StoredApproval | null;
}

/**
 * The event of a question can become readable a moment before the question is stored. Errors: `not_found`,
 * `conflict`.
 */
export async function findApproval(store: Store, id: string): Promise<StoredApproval> {
  const known = await findStored(store, id);
  if (known !== null) return known;
  // The call does not wait for an id that no question has.
  const pauses = (await isBeingAsked(store, id)) ? STORED_WITHIN_MS : [];
  for (const pauseMs of pauses) {
    await sleep(pauseMs);
    const stored = await findStored(store, id);
    if (stored !== null) return stored;
  }
  throw new ContinuoError("not_found", `there is no approval ${id}`);
}

async function findStored(store: Store, id: string): Promise<StoredApproval | null> {
  const named = await getApproval(store, id);
  if (named !== null) return named;
  const found: StoredApproval[] = [];
  for await (const claim of claimsOf(store)) {
    const { request, earlierIds: earlier = [] } = claim.data;
    if (request.approvalId === id || earlier.includes(id)) found.push(claim);
  }
  const open = found.filter(({ status }) => status === "open");
  const [first] = open.length > 0 ? open : found;
  if (open.length > 1) {
    throw new ContinuoError("conflict", `several open approvals have the id ${id}`, {
      hint: "Use the `id` of the list of approvals.",
    });
  }
  return first ?? null;
}

/** True if the log of a run that is being executed has the event of a question with this id. */
async function isBeingAsked(store: Store, approvalId: string): Promise<boolean> {
  const runs = listAll((place) => store.listRuns({ status: "running", limit: MAX_LISTED, ...place }));
  for await (const { sessionId, runId } of runs) {
    if (await hasAsked(store, { sessionId, runId, approvalId })) return true;
  }
  return false;
}

export interface QuestionSearch extends Pick<Run, "sessionId" | "runId"> {
  readonly approvalId: string;
  readonly withinMs?: readonly number[];
}

/** True if the log has the event of the question, at the latest after these pauses. */
export async function hasAsked(
  store: Store,
  { sessionId, runId, approvalId, withinMs = [] }: QuestionSearch,
): Promise<boolean> {
  const asked = { runId, types: ["approval_requested"], texts: [JSON.stringify(approvalId)] };
  for (const pauseMs of [0, ...withinMs]) {
    if (pauseMs > 0) await sleep(pauseMs);
    for await (const event of readAll(store, sessionId, asked)) {
      if (isEvent(event, "approval_requested") && event.data.approvalId === approvalId) return true;
    }
  }
  return false;
}
