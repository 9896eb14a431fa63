/** Asks pages the questions of agents for permission; the first answer counts. */

import {
  ContinuoError,
  cutText,
  type PermissionDecision,
  type PermissionRequest,
  present,
} from "@continuo/core/model";
import {
  type AnswerCall,
  type AnswerRequest,
  CHAT_LIMITS,
  type ChatAnswered,
  type ChatQuestion,
} from "@continuo/core/wire/machine";

/** The function that an agent's program calls. */
type Ask = (
  request: PermissionRequest,
  call: { readonly signal: AbortSignal },
) => Promise<PermissionDecision>;

export interface Questions {
  readonly ask: Ask;
  readonly open: readonly ChatQuestion[];
  /** True for a question that is open here, or that a page answered here. */
  knows(approvalId: string): boolean;
  /** The answered questions, the newest last. */
  readonly answered: readonly ChatAnswered[];
  /**
   * Errors: `conflict` if another page answered first, `not_found` if there is no such question, `invalid`, `forbidden`.
   */
  answer(request: AnswerRequest, lasting: AnswerCall["lasting"]): void;
}

interface OpenQuestion {
  readonly request: PermissionRequest;
  readonly shown: ChatQuestion;
  readonly resolve: (decision: PermissionDecision) => void;
}

export interface QuestionsOptions {
  /** A question without an answer is denied after this time. */
  readonly timeLimitMs: () => number;
  readonly onChange: () => void;
}

export function createQuestions({ timeLimitMs, onChange }: QuestionsOptions): Questions {
  const open = new Map<string, OpenQuestion>();
  const answered: ChatAnswered[] = [];
  return {
    ask: async (request, { signal }) => {
      signal.throwIfAborted();
      const { promise, resolve, reject } = Promise.withResolvers<PermissionDecision>();
      const until = new Date(Date.now() + timeLimitMs()).toISOString();
      const question = { request, shown: toShown(request, until), resolve };
      const stop = (): void => reject(signal.reason);
      signal.addEventListener("abort", stop, { once: true });
      open.set(request.approvalId, question);
      onChange();
      try {
        return await promise;
      } finally {
        signal.removeEventListener("abort", stop);
        if (open.get(request.approvalId) === question) open.delete(request.approvalId);
        onChange();
      }
    },
    get open() {
      return [...open.values()].slice(0, CHAT_LIMITS.questions).map(({ shown }) => shown);
    },
    knows: (approvalId) => open.has(approvalId) || answered.some((one) => one.approvalId === approvalId),
    get answered() {
      return [...answered];
    },
    answer(given, lasting) {
      const { approvalId, page } = given;
      const question = open.get(approvalId);
      if (question === undefined) throw notOpen(approvalId, answered);
      const decision = decisionOf(given, { ...question, lasting });
      open.delete(approvalId);
      answered.push({ approvalId, outcome: given.outcome, page });
      answered.splice(0, answered.length - CHAT_LIMITS.answered);
      question.resolve(decision);
      onChange();
    },
  };
}

interface ShownQuestion extends Pick<OpenQuestion, "request" | "shown"> {
  readonly lasting: AnswerCall["lasting"];
}

/**
 * Errors: `invalid` for an option that does not exist or is of another kind, or for a yes to a request that was not
 * shown completely; `forbidden`.
 */
export function decisionOf(given: AnswerRequest, question: ShownQuestion): PermissionDecision {
  const decision = decided(given, question);
  if (question.lasting === "refused") refuseLasting(decision, question);
  return decision;
}

function decided(
  { outcome, optionId, reason }: AnswerRequest,
  { request: { options }, shown }: ShownQuestion,
): PermissionDecision {
  if (outcome === "granted" && shown.content === null) {
    throw new ContinuoError("invalid", "the request is too long to be shown, so it cannot be granted here", {
      hint: "Continue the session in a terminal to see the whole request.",
    });
  }
  const option = options.find(({ id }) => id === optionId);
  const isOfKind = option === undefined || option.kind.startsWith(outcome === "granted" ? "allow" : "reject");
  if ((optionId !== undefined && option === undefined) || !isOfKind) {
    throw new ContinuoError("invalid", "the question has no such option", {
      hint: "Choose one of its options.",
    });
  }
  const named =
    option ?? options.find(({ kind }) => kind === (outcome === "granted" ? "allow_once" : "reject_once"));
  return {
    outcome,
    by: "person",
    ...(named === undefined ? {} : { optionId: named.id }),
    ...(reason === undefined ? {} : { reason }),
  };
}

/** If no option is given, the agent chooses the first option that fits. Errors: `forbidden`. */
function refuseLasting(
  { outcome, optionId }: PermissionDecision,
  { request: { options } }: ShownQuestion,
): void {
  const always = outcome === "granted" ? "allow_always" : "reject_always";
  const taken = options.filter(({ id, kind }) =>
    optionId === undefined ? kind === always : id === optionId,
  );
  if (!taken.some(({ kind }) => kind === always)) return;
  throw new ContinuoError("forbidden", "this page may answer this question, but may not grant later ones", {
    hint: "Use a page that may change sessions.",
  });
}

export function notOpen(approvalId: string, answered: readonly ChatAnswered[]): ContinuoError {
  const first = answered.findLast((one) => one.approvalId === approvalId);
  if (first === undefined) {
    return new ContinuoError("not_found", "nobody asks this question any more", {
      hint: "Look at the turn: it may have ended.",
    });
  }
  return new ContinuoError("conflict", `the question was answered first by ${first.page.name}`, {
    hint: "Look at the turn: the first answer counts.",
    details: { ...first },
  });
}

const MAX_LINE_CHARS = 2_000;

export function toShown(
  { approvalId, title, toolName, toolInput, content, options, readsReason, grantedBefore }: PermissionRequest,
  until: string,
): ChatQuestion {
  const chars = JSON.stringify([toolInput, content]).length;
  const isShown = chars <= CHAT_LIMITS.requestChars && (title?.length ?? 0) <= MAX_LINE_CHARS;
  const hidden = options.length - CHAT_LIMITS.options;
  return {
    approvalId,
    title: cutText(title ?? toolName ?? "", MAX_LINE_CHARS),
    toolName: cutText(toolName ?? "", MAX_LINE_CHARS),
    input: isShown ? (toolInput ?? null) : null,
    content: isShown ? (content ?? []) : null,
    options: options.slice(0, CHAT_LIMITS.options),
    ...present({ moreOptions: hidden > 0 ? hidden : undefined }),
    readsReason: readsReason === true,
    mayHaveRun: grantedBefore !== undefined,
    until,
  };
}
