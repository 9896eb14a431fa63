/**
 * Questions of agents to people, kept in the store: each is a claim, so that any process can list them, and one answer
 * counts. A question of a crashed run is found again by its content: the next attempt continues to wait, or finds the
 * answer. An answer is used once.
 */

import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import {
  type AskPermission,
  assertKnownOptions,
  ContinuoError,
  canonicalJson,
  isContinuoError,
  type PermissionDecision,
  type PermissionRequest,
  present,
  type Run,
  type RunStatus,
  type Store,
} from "@continuo/core/model";
import { latestAttempt, MAX_TIMER_MS, rootIn } from "@continuo/store/sessions";
import {
  claimsOf,
  findApproval,
  getApproval,
  hasAsked,
  MAX_LISTED,
  STORED_WITHIN_MS,
} from "./approval-lookup.ts";
import type { Approval, ApprovalAnswer, Approvals, ListApprovalsOptions } from "./approval-types.ts";
import { hasUnstoredQuestion, mayHaveRun, unstoredQuestions } from "./earlier-calls.ts";
import { APPROVAL_ANSWER, assertApprovalFilters } from "./options.ts";
import { callerMetadata, hasMetadata } from "./readers.ts";
import type { RunSlot } from "./run-slots.ts";
import {
  type ApprovalData,
  alreadyResolved,
  decisionOf,
  earlierIds,
  isOver,
  PREFIX,
  resolvedEvents,
  type StoredApproval,
  TIME_LIMIT,
  toApproval,
  toWrite,
} from "./stored-approval.ts";

/** The executor of a run notices a stop within a moment. */
const STOP_PAUSE_MS = 25;
/** Questions whose runs a list reads at the same time: their writes share a commit. */
const SETTLED_AT_ONCE = 100;
/** Questions of ended runs that one list closes in the store. It shows the others as cancelled as well. */
const MAX_CLOSED = 1_000;

/** The approvals of one run, for the agent that executes it. */
export interface RunApprovals {
  readonly ask: AskPermission;
  /** Calls that an earlier attempt asked about, and that did not begin. */
  heldCalls(): Promise<readonly PermissionRequest[]>;
  /**
   * The agent has returned or failed: its open questions must not take an answer away from the next attempt. Call it
   * before anybody can see how the run ended. A later question of the run waits as usual.
   */
  end(): void;
}

interface DeskOptions {
  readonly timeLimitMs: number | undefined;
  /** The setting `retry.on` of this process. */
  readonly retriedAfter: readonly RunStatus[] | undefined;
}

interface QuestionSignals {
  readonly signal: AbortSignal;
  /** Aborts when the agent has returned or failed. The caller may have forgotten the question, and gets no error. */
  readonly ended: AbortSignal;
  readonly reportsStart: boolean;
}

interface AskedQuestion {
  /** The run gives it back while the question is open. */
  readonly slot: RunSlot | undefined;
  readonly claim: StoredApproval;
  readonly run: Run;
  /** The id with which this run asked. */
  readonly approvalId: string;
}

export class ApprovalDesk implements Approvals {
  readonly #store: Store;
  readonly #timeLimitMs: number | undefined;
  readonly #retriedAfter: readonly RunStatus[] | undefined;

  constructor(store: Store, { timeLimitMs, retriedAfter }: DeskOptions) {
    this.#store = store;
    this.#timeLimitMs = timeLimitMs;
    this.#retriedAfter = retriedAfter;
  }

  async list(options: ListApprovalsOptions = {}): Promise<Approval[]> {
    assertApprovalFilters(options);
    const { status, sessionId, metadata = {}, filter = () => true } = options;
    const found: Approval[] = [];
    let closed = 0;
    const settled = async (claim: StoredApproval): Promise<StoredApproval> => {
      if (claim.status !== "open" || !isOver(await this.#newestRun(claim), claim)) return claim;
      return closed++ < MAX_CLOSED ? await this.#cancel(claim) : { ...claim, status: "cancelled" };
    };
    const take = async (claims: readonly StoredApproval[]): Promise<void> => {
      for (const current of await Promise.all(claims.map(settled))) {
        const approval = toApproval(current);
        if ((status === undefined || current.status === status) && filter(approval)) found.push(approval);
      }
    };
    const group: StoredApproval[] = [];
    for await (const claim of claimsOf(this.#store, present({ status }))) {
      const { data } = claim;
      if (sessionId !== undefined && data.sessionId !== sessionId) continue;
      // A list changes only questions that it may show: as they are, or as cancelled if their runs have ended.
      const mayBe = claim.status === "open" ? [claim, { ...claim, status: "cancelled" }] : [claim];
      if (!hasMetadata(data.metadata, metadata) || !mayBe.some((one) => filter(toApproval(one)))) continue;
      if (group.push(claim) === SETTLED_AT_ONCE) await take(group.splice(0));
    }
    await take(group);
    found.sort((a, b) => (a.requestedAt < b.requestedAt ? -1 : a.requestedAt > b.requestedAt ? 1 : 0));
    return found.slice(0, MAX_LISTED);
  }

  async get(id: string): Promise<Approval | null> {
    try {
      const claim = await findApproval(this.#store, id);
      return toApproval(claim.status === "open" ? await this.#settled(claim) : claim);
    } catch (error) {
      if (isContinuoError(error, "not_found")) return null;
      throw error;
    }
  }

  async resolve(id: string, answer: ApprovalAnswer): Promise<Approval> {
    assertKnownOptions("approvals.resolve", answer, APPROVAL_ANSWER);
    if (answer.outcome !== "granted" && answer.outcome !== "denied") {
      throw new ContinuoError("usage", "the outcome of an approval must be granted or denied");
    }
    for (;;) {
      const claim = await findApproval(this.#store, id);
      await this.#assertAwaited(claim);
      if (claim.status !== "open") return alreadyResolved(claim, answer);
      const settled = await this.#settle(claim, answer);
      if (settled === null) continue;
      // The run may have ended at this moment, without the answer.
      await this.#assertAwaited(
        (await getApproval(this.#store, settled.name.slice(PREFIX.length))) ?? settled,
      );
      return toApproval(settled);
    }
  }

  /** The approvals of a run, by the first run of its input. */
  forRun(run: Run, slot?: RunSlot): RunApprovals {
    const root = rootIn(run);
    const asked = new Map<string, number>();
    let current = new AbortController();
    return {
      end() {
        current.abort();
        current = new AbortController();
      },
      ask: async (request, { signal, reportsStart = false }) => {
        const ended = current.signal;
        const claim = await this.#begin(run, root, { request, asked });
        const { approvalId } = request;
        return await this.#wait({ claim, run, approvalId, slot }, { signal, ended, reportsStart });
      },
      heldCalls: async () => {
        if (root === run.runId) return [];
        const held: PermissionRequest[] = [];
        const stored = new Set<string>();
        for await (const { status, data } of claimsOf(this.#store, { owner: root })) {
          for (const id of [data.request.approvalId, ...(data.earlierIds ?? [])]) stored.add(id);
          if (status !== "cancelled" && data.usedBy === undefined) held.push(data.request);
        }
        return [...held, ...(await unstoredQuestions(this.#store, run, { root, stored }))];
      },
    };
  }

  /**
   * Says where the question is whose answer the agent of this run has not received: in the list of approvals, or only in
   * the log, if its process ended a moment after it had asked; `null` if there is none. Questions of earlier attempts do
   * not count.
   */
  async awaitedQuestion(run: Run): Promise<"listed" | "logged" | null> {
    const listed = new Set<string>();
    for await (const { status, data } of claimsOf(this.#store, { owner: rootIn(run) })) {
      if (data.runId !== run.runId) continue;
      if (status !== "cancelled" && data.usedBy === undefined) return "listed";
      listed.add(data.request.approvalId);
    }
    return (await hasUnstoredQuestion(this.#store, run, listed)) ? "logged" : null;
  }

  /** Closes the open questions of an input whose runs have ended permanently: nobody can answer them. */
  async close(root: string): Promise<void> {
    for await (const claim of claimsOf(this.#store, { owner: root, status: "open" }))
      await this.#cancel(claim);
  }

  async #begin(
    run: Run,
    root: string,
    { request, asked }: { readonly request: PermissionRequest; readonly asked: Map<string, number> },
  ): Promise<StoredApproval> {
    const content = canonicalJson([
      root,
      request.toolName ?? null,
      request.toolInput ?? request.title ?? null,
    ]);
    // Calls that ask at the same time have different numbers.
    const nextOrdinal = (): number => {
      const next = asked.get(content) ?? 0;
      asked.set(content, next + 1);
      return next;
    };
    let grantedBefore: string | undefined;
    for (let ordinal = nextOrdinal(); ; ) {
      const id = createHash("sha256").update(`${content}\n${ordinal}`).digest("hex").slice(0, 32);
      const known = await getApproval(this.#store, id);
      if (known !== null && (known.data.usedBy !== undefined || known.status === "cancelled")) {
        if (known.status === "granted" && (await mayHaveRun(this.#store, run, known.data)))
          grantedBefore = id;
        ordinal = nextOrdinal();
        continue;
      }
      const session = known === null ? await this.#store.getSession(run.sessionId) : null;
      const data: ApprovalData = {
        metadata: callerMetadata(session?.metadata ?? {}),
        requestedAt: new Date().toISOString(),
        ...known?.data,
        sessionId: run.sessionId,
        runId: run.runId,
        agent: run.agent ?? "",
        request,
        ...present({
          earlierIds: earlierIds(known, request),
          retriedAfter: this.#retriedAfter,
          grantedBefore,
        }),
      };
      const status = known?.status ?? "open";
      const generation = known?.generation ?? 1;
      try {
        const write = { name: PREFIX + id, owner: root, generation, status, data };
        return (await this.#store.putClaim(write)) as StoredApproval;
      } catch (error) {
        // The question was answered at this moment: it is read again.
        if (!isContinuoError(error, "fenced")) throw error;
      }
    }
  }

  async #wait(
    asked: AskedQuestion,
    { signal, ended, reportsStart }: QuestionSignals,
  ): Promise<PermissionDecision> {
    const { run, slot } = asked;
    const id = asked.claim.name.slice(PREFIX.length);
    const use = async (): Promise<void> => {
      const claim = await getApproval(this.#store, id);
      const isOurs = claim?.data.runId === run.runId && (await this.#use({ ...asked, claim }));
      if (!isOurs) throw new ContinuoError("fenced", `another attempt has the approval ${id}`);
    };
    const over = new AbortController();
    const stopped = AbortSignal.any([signal, ended, over.signal]);
    const stopTimer = await this.#startTimer(id);
    let isPaused = false;
    try {
      for (;;) {
        const after = await this.#store.latestSequence(run.sessionId);
        const claim = await getApproval(this.#store, id);
        if (ended.aborted || claim === null || claim.status === "cancelled") {
          return { outcome: "cancelled", by: "agent", reason: "the run has ended", recorded: true };
        }
        signal.throwIfAborted();
        if (claim.status !== "open") {
          // After a stop, an answer does not let the call run, even if the executor has not noticed the stop yet.
          if (await this.#isStopped(run)) {
            await sleep(STOP_PAUSE_MS);
            continue;
          }
          if (isPaused) {
            // The answer stays unused until the run has a slot, and is then read again.
            isPaused = false;
            await slot?.resume(stopped);
            continue;
          }
          const isFree = claim.data.usedBy === undefined || claim.data.usedBy === run.runId;
          if (reportsStart && isFree) return { ...decisionOf(claim), onStart: use };
          if (await this.#use({ ...asked, claim })) return decisionOf(claim);
        }
        if (!isPaused) slot?.pause();
        isPaused = true;
        const types = ["approval_resolved"];
        for await (const _ of this.#store.tail(run.sessionId, { after, types, signal: stopped })) break;
      }
    } finally {
      over.abort();
      stopTimer();
      if (isPaused) await slot?.resume(over.signal);
    }
  }

  /** True if a caller has requested the end of the run. */
  async #isStopped({ sessionId, runId }: Run): Promise<boolean> {
    const asked = { runId, types: ["run_cancel_requested"], limit: 1 };
    return (await this.#store.read(sessionId, asked)).events.length > 0;
  }

  async #startTimer(id: string): Promise<() => void> {
    const limitMs = this.#timeLimitMs;
    if (limitMs === undefined) return () => undefined;
    const claim = await getApproval(this.#store, id);
    const endsAt = Date.parse(claim?.data.requestedAt ?? "") + limitMs;
    let timer: NodeJS.Timeout | undefined;
    const wait = (): void => {
      const leftMs = endsAt - Date.now();
      if (leftMs > MAX_TIMER_MS) {
        timer = setTimeout(wait, MAX_TIMER_MS);
        return;
      }
      timer = setTimeout(
        () => {
          const reason = `no answer within ${limitMs} ms`;
          // Somebody may answer at the same time, and that answer counts.
          this.resolve(id, { outcome: "denied", by: TIME_LIMIT, reason }).catch(() => undefined);
        },
        Math.max(0, leftMs),
      );
    };
    wait();
    return () => clearTimeout(timer);
  }

  /** `false` if another attempt was faster. */
  async #use({ claim, run, approvalId }: AskedQuestion): Promise<boolean> {
    const { data, generation } = claim;
    const { resolvedIds = [] } = data;
    if (data.usedBy !== undefined && data.usedBy !== run.runId) return false;
    // The answer came before this attempt asked: readers of its question see the answer as well.
    const isUntold =
      !resolvedIds.includes(approvalId) &&
      (await hasAsked(this.#store, { ...run, approvalId, withinMs: STORED_WITHIN_MS }));
    const events = isUntold
      ? resolvedEvents({ ...claim, data: { ...data, runId: run.runId } }, [approvalId])
      : [];
    const used = { ...data, usedBy: run.runId, resolvedIds: [...resolvedIds, approvalId] };
    try {
      const next = toWrite({ ...claim, generation: generation + 1, data: used });
      await this.#store.append(run.sessionId, events, { also: [{ type: "claim", ...next, onlyNext: true }] });
    } catch (error) {
      if (isContinuoError(error, "fenced")) return false;
      throw error;
    }
    return true;
  }

  /** `null` if somebody else changed it. */
  async #settle(claim: StoredApproval, answer: ApprovalAnswer): Promise<StoredApproval | null> {
    const { outcome, by, reason, optionId } = answer;
    const { sessionId, request, earlierIds: earlier = [] } = claim.data;
    const resolvedIds = [request.approvalId, ...earlier];
    const resolvedAt = new Date().toISOString();
    const data: ApprovalData = {
      ...claim.data,
      resolvedAt,
      resolvedIds,
      ...present({ by, reason, optionId }),
    };
    const next = { ...claim, generation: claim.generation + 1, status: outcome, data };
    const events = resolvedEvents(next, resolvedIds);
    try {
      await this.#store.append(sessionId, events, {
        also: [{ type: "claim", ...toWrite(next), onlyNext: true }],
      });
      return next;
    } catch (error) {
      if (isContinuoError(error, "fenced")) return null;
      throw error;
    }
  }

  /** Closes an open question if its run has ended permanently. */
  async #settled(claim: StoredApproval): Promise<StoredApproval> {
    return isOver(await this.#newestRun(claim), claim) ? await this.#cancel(claim) : claim;
  }

  async #newestRun({ owner }: StoredApproval): Promise<Run | null> {
    return await this.#store.getRun(await latestAttempt(this.#store, owner, {}));
  }

  /** Errors: `run_ended` if no run will use the answer. */
  async #assertAwaited(claim: StoredApproval): Promise<void> {
    if (claim.data.usedBy !== undefined) return;
    const run = await this.#newestRun(claim);
    const hasEnded = isOver(run, claim) || claim.status === "cancelled";
    if (hasEnded && claim.status === "open") await this.#cancel(claim);
    if (!hasEnded && (run === null || !(await this.#isStopped(run)))) return;
    const id = claim.name.slice(PREFIX.length);
    const why = hasEnded ? "its run has ended" : "its run is being stopped";
    throw new ContinuoError("run_ended", `cannot answer the approval ${id}: ${why}`, {
      hint: "Send the message again if it is still wanted.",
      details: { runId: run?.runId ?? claim.data.runId, status: run?.status ?? null },
    });
  }

  async #cancel(claim: StoredApproval): Promise<StoredApproval> {
    const next = { ...claim, generation: claim.generation + 1, status: "cancelled" };
    try {
      return (await this.#store.putClaim({ ...toWrite(next), onlyNext: true })) as StoredApproval;
    } catch (error) {
      if (!isContinuoError(error, "fenced")) throw error;
      return (await getApproval(this.#store, claim.name.slice(PREFIX.length))) ?? claim;
    }
  }
}
