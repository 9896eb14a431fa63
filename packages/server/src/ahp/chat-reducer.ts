/** The state of a chat after an action, by the rules of the protocol. Pure. */

import { present } from "@continuo/core/model";
import {
  ACTIVITY_BITS,
  type ActiveTurn,
  type CallConfirmed,
  type ChatAction,
  type ChatState,
  type ChatTurn,
  type ErrorPart,
  type ResponsePart,
  STATUS,
  type ToolCall,
} from "./protocol.ts";

/** An action that matches nothing in the state changes nothing. */
export function reduceChat(state: ChatState, action: ChatAction): ChatState {
  switch (action.type) {
    case "chat/turnStarted":
      return started(state, action);
    case "chat/delta":
      return withText(state, action, "markdown");
    case "chat/reasoning":
      return withText(state, action, "reasoning");
    case "chat/responsePart":
      if (action.part.kind === "error") return state;
      return withPart(state, action.turnId, action.part);
    case "chat/toolCallStart": {
      const { turnId } = action;
      const toolCall = { ...toBase(action), status: "streaming" as const };
      return withPart(state, turnId, { kind: "toolCall", toolCall });
    }
    case "chat/toolCallReady":
      return withCall(state, action, (call) => readied(call, action));
    case "chat/toolCallConfirmed":
      return withCall(state, action, (call) => confirmed(call, action));
    case "chat/toolCallComplete":
      return withCall(state, action, (call) => {
        if (call.status !== "running" && call.status !== "pending-confirmation") return call;
        const isRunning = call.status === "running";
        return {
          ...toBase({ ...call, ...present({ _meta: action._meta }) }),
          status: "completed",
          ...present({ invocationMessage: call.invocationMessage, toolInput: call.toolInput }),
          ...present({ confirmed: isRunning ? call.confirmed : "not-needed" }),
          ...present({ selectedOption: isRunning ? call.selectedOption : undefined }),
          ...action.result,
        };
      });
    case "chat/usage":
      return withTurn(state, action.turnId, (turn) => ({ ...turn, usage: action.usage }));
    case "chat/turnComplete":
      return ended(state, action, { state: "complete" });
    case "chat/turnCancelled":
      return ended(state, action, { state: "cancelled" });
    case "chat/error":
      return ended(state, action, { state: "error", part: action.part });
    default:
      return reduceRest(state, action);
  }
}

type Rest = Exclude<ChatAction, { readonly turnId: string }>;

function reduceRest(state: ChatState, action: Rest): ChatState {
  switch (action.type) {
    case "chat/truncated":
      return truncated(state, action.turnId);
    case "chat/turnsLoaded": {
      const known = new Set(state.turns.map(({ id }) => id));
      const { turnsNextCursor: _, ...rest } = state;
      const older = action.turns.filter(({ id }) => !known.has(id));
      return {
        ...rest,
        turns: [...older, ...state.turns],
        ...present({ turnsNextCursor: action.turnsNextCursor }),
      };
    }
    case "chat/pendingMessageSet": {
      const { id, message } = action;
      const queued = state.queuedMessages ?? [];
      const isKnown = queued.some((one) => one.id === id);
      const next = queued.map((one) => (one.id === id ? { id, message } : one));
      return { ...state, queuedMessages: isKnown ? next : [...next, { id, message }] };
    }
    case "chat/pendingMessageRemoved":
      return withoutQueued(state, action.id);
    case "chat/queuedMessagesReordered": {
      const queued = state.queuedMessages;
      if (queued === undefined) return state;
      const named = [...new Set(action.order)].flatMap((id) => queued.find((one) => one.id === id) ?? []);
      return { ...state, queuedMessages: [...named, ...queued.filter((one) => !named.includes(one))] };
    }
    case "chat/draftChanged": {
      const { draft: _, ...rest } = state;
      return { ...rest, ...present({ draft: action.draft }) };
    }
    default:
      return state;
  }
}

function started(state: ChatState, action: Extract<ChatAction, { type: "chat/turnStarted" }>): ChatState {
  const { turnId: id, startedAt, message, queuedMessageId } = action;
  const next: ChatState = {
    ...state,
    activeTurn: { id, startedAt, message, responseParts: [], usage: undefined },
    modifiedAt: startedAt,
  };
  const unread = { ...next, status: statusOf(next) & ~STATUS.isRead };
  return queuedMessageId === undefined ? unread : withoutQueued(unread, queuedMessageId);
}

/** Calls that have not ended are cancelled with the turn. */
function ended(
  state: ChatState,
  { turnId, duration }: { readonly turnId: string; readonly duration: number },
  end: { readonly state: ChatTurn["state"]; readonly part?: ErrorPart },
): ChatState {
  const { activeTurn, ...rest } = state;
  if (activeTurn?.id !== turnId) return state;
  const turn: ChatTurn = {
    ...activeTurn,
    responseParts: [...activeTurn.responseParts.map(settled), ...(end.part === undefined ? [] : [end.part])],
    duration: Math.max(0, duration),
    state: end.state,
  };
  const modifiedAt = new Date(Date.parse(turn.startedAt) + turn.duration).toISOString();
  const next = { ...rest, turns: [...state.turns, turn], modifiedAt };
  return { ...next, status: statusOf(next, end.state === "error" ? STATUS.error : undefined) };
}

function settled(part: ResponsePart): ResponsePart {
  if (part.kind !== "toolCall") return part;
  const { toolCall: call } = part;
  if (call.status === "completed" || call.status === "cancelled") return part;
  return {
    kind: "toolCall",
    toolCall: {
      ...toBase(call),
      status: "cancelled",
      invocationMessage: call.invocationMessage ?? "",
      ...present({ toolInput: call.status === "streaming" ? undefined : call.toolInput }),
      reason: "skipped",
    },
  };
}

function readied(call: ToolCall, action: Extract<ChatAction, { type: "chat/toolCallReady" }>): ToolCall {
  const isPending = call.status === "pending-confirmation";
  if (call.status !== "streaming" && call.status !== "running" && !isPending) return call;
  const { invocationMessage } = action;
  const toolInput = action.toolInput ?? (call.status === "streaming" ? undefined : call.toolInput);
  const base = { ...toBase(call), invocationMessage, ...present({ toolInput }) };
  if (action.confirmed !== undefined) return { ...base, status: "running", confirmed: action.confirmed };
  return {
    ...base,
    status: "pending-confirmation",
    ...present({
      confirmationTitle: action.confirmationTitle ?? (isPending ? call.confirmationTitle : undefined),
      options: action.options ?? (isPending ? call.options : undefined),
    }),
  };
}

function confirmed(call: ToolCall, action: CallConfirmed): ToolCall {
  if (call.status !== "pending-confirmation") return call;
  const base = {
    ...toBase(call),
    ...present({ invocationMessage: call.invocationMessage, toolInput: call.toolInput }),
    ...present({ selectedOption: call.options?.find(({ id }) => id === action.selectedOptionId) }),
  };
  if (action.approved) return { ...base, status: "running", ...present({ confirmed: action.confirmed }) };
  const { reason, reasonMessage } = action;
  return { ...base, status: "cancelled", ...present({ reason, reasonMessage }) };
}

function truncated(state: ChatState, turnId: string | undefined): ChatState {
  const at = turnId === undefined ? -1 : state.turns.findIndex(({ id }) => id === turnId);
  if (turnId !== undefined && at === -1) return state;
  const { activeTurn: _, turnsNextCursor, ...rest } = state;
  const cut = { ...rest, turns: state.turns.slice(0, at + 1) };
  const next = turnId === undefined ? cut : { ...cut, ...present({ turnsNextCursor }) };
  return { ...next, status: statusOf(next) };
}

function withoutQueued(state: ChatState, id: string): ChatState {
  const { queuedMessages, ...rest } = state;
  const left = queuedMessages?.filter((one) => one.id !== id) ?? [];
  return left.length === 0 ? rest : { ...rest, queuedMessages: left };
}

function withTurn(state: ChatState, turnId: string, change: (turn: ActiveTurn) => ActiveTurn): ChatState {
  const { activeTurn } = state;
  return activeTurn?.id === turnId ? { ...state, activeTurn: change(activeTurn) } : state;
}

function withPart(state: ChatState, turnId: string, part: ResponsePart): ChatState {
  return withTurn(state, turnId, (turn) => ({ ...turn, responseParts: [...turn.responseParts, part] }));
}

function withText(
  state: ChatState,
  action: { readonly turnId: string; readonly partId: string; readonly content: string },
  kind: "markdown" | "reasoning",
): ChatState {
  return withTurn(state, action.turnId, (turn) => ({
    ...turn,
    responseParts: turn.responseParts.map((part) =>
      part.kind === kind && part.id === action.partId
        ? { ...part, content: part.content + action.content }
        : part,
    ),
  }));
}

function withCall(
  state: ChatState,
  { turnId, toolCallId }: { readonly turnId: string; readonly toolCallId: string },
  change: (call: ToolCall) => ToolCall,
): ChatState {
  const next = withTurn(state, turnId, (turn) => ({
    ...turn,
    responseParts: turn.responseParts.map((part) =>
      part.kind === "toolCall" && part.toolCall.toolCallId === toolCallId
        ? { ...part, toolCall: change(part.toolCall) }
        : part,
    ),
  }));
  return next === state ? state : { ...next, status: statusOf(next) };
}

/** The activity of the running turn; the other bits stay as they were. */
function statusOf(state: ChatState, end?: number): number {
  const isAsked = state.activeTurn?.responseParts.some(
    (part) => part.kind === "toolCall" && part.toolCall.status === "pending-confirmation",
  );
  const running = state.activeTurn === undefined ? STATUS.idle : STATUS.inProgress;
  const activity = end ?? (isAsked === true ? STATUS.inputNeeded : running);
  return (state.status & ~ACTIVITY_BITS) | activity;
}

type Base = Pick<ToolCall, "toolCallId" | "toolName" | "displayName" | "_meta">;

function toBase({ toolCallId, toolName, displayName, _meta }: Base): Base {
  return { toolCallId, toolName, displayName, ...present({ _meta }) };
}
