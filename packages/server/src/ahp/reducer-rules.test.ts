/**
 * Each action of the protocol has a case here, or a reason why its rule does not apply to this host. The tests of the
 * two reducers have further cases.
 */

import { expect, test } from "vitest";
import { ACTION_TYPES } from "../../../../test/ahp/protocol-actions.ts";
import { reduceChat } from "./chat-reducer.ts";
import type { ChatAction, ChatState, ChatTurn, SessionAction, SessionState } from "./protocol.ts";
import { reduceSession } from "./session-reducer.ts";

const AT = "2026-03-01T10:00:00.000Z";
const message = { text: "fix it", origin: { kind: "user" } };
const CHAT: ChatState = {
  resource: "ahp-chat://default/x",
  title: "x",
  status: 1,
  modifiedAt: AT,
  turns: [],
};
const begun: ChatAction = { type: "chat/turnStarted", turnId: "t", startedAt: AT, message };
const call = { turnId: "t", toolCallId: "c" };
const called: ChatAction = { type: "chat/toolCallStart", ...call, toolName: "Bash", displayName: "Bash" };
const asked: ChatAction = { type: "chat/toolCallReady", ...call, invocationMessage: "make" };
const allowed: ChatAction = {
  type: "chat/toolCallConfirmed",
  ...call,
  approved: true,
  confirmed: "user-action",
};
const text = (content: string) => ({ kind: "markdown", id: "p", content }) as const;
const thought = (content: string) => ({ kind: "reasoning", id: "p", content }) as const;
const turn: ChatTurn = {
  id: "t",
  startedAt: AT,
  message,
  responseParts: [],
  usage: undefined,
  duration: 1_000,
  state: "complete",
};
const active = { id: "t", startedAt: AT, message, responseParts: [], usage: undefined };
const tool = { toolCallId: "c", toolName: "Bash", displayName: "Bash" };
const parts = (...responseParts: readonly object[]): object => ({ activeTurn: { ...active, responseParts } });
const calls = (toolCall: object): object => parts({ kind: "toolCall", toolCall });
const ended = { status: 1, modifiedAt: "2026-03-01T10:00:01.000Z", activeTurn: undefined };
const error = { kind: "error", error: { errorType: "agent", message: "out of credit" } } as const;
const queued = (id: string): ChatAction => ({ type: "chat/pendingMessageSet", kind: "queued", id, message });

/** The actions before, the action, and what is in the state after it. */
type Case<Action> = readonly [before: readonly Action[], action: Action, after: object];

const OF_CHATS: { readonly [Type in ChatAction["type"]]: Case<ChatAction> } = {
  "chat/turnStarted": [[], begun, { status: 8, activeTurn: active }],
  "chat/delta": [
    [begun, { type: "chat/responsePart", turnId: "t", part: text("I ") }],
    { type: "chat/delta", turnId: "t", partId: "p", content: "look" },
    parts(text("I look")),
  ],
  "chat/reasoning": [
    [begun, { type: "chat/responsePart", turnId: "t", part: thought("so ") }],
    { type: "chat/reasoning", turnId: "t", partId: "p", content: "what" },
    parts(thought("so what")),
  ],
  "chat/responsePart": [
    [begun],
    { type: "chat/responsePart", turnId: "t", part: text("I") },
    parts(text("I")),
  ],
  "chat/toolCallStart": [[begun], called, calls({ ...tool, status: "streaming" })],
  "chat/toolCallReady": [
    [begun, called],
    asked,
    { status: 24, ...calls({ ...tool, status: "pending-confirmation", invocationMessage: "make" }) },
  ],
  "chat/toolCallConfirmed": [
    [begun, called, asked],
    allowed,
    {
      status: 8,
      ...calls({ ...tool, status: "running", invocationMessage: "make", confirmed: "user-action" }),
    },
  ],
  "chat/toolCallComplete": [
    [begun, called, asked, allowed],
    { type: "chat/toolCallComplete", ...call, result: { success: false, pastTenseMessage: "made" } },
    calls({
      ...tool,
      status: "completed",
      invocationMessage: "make",
      confirmed: "user-action",
      success: false,
      pastTenseMessage: "made",
    }),
  ],
  "chat/usage": [
    [begun],
    { type: "chat/usage", turnId: "t", usage: { inputTokens: 1, outputTokens: 2 } },
    { activeTurn: { ...active, usage: { inputTokens: 1, outputTokens: 2 } } },
  ],
  "chat/turnComplete": [
    [begun],
    { type: "chat/turnComplete", turnId: "t", duration: 1_000 },
    { ...ended, turns: [turn] },
  ],
  "chat/turnCancelled": [
    [begun],
    { type: "chat/turnCancelled", turnId: "t", duration: 1_000 },
    { ...ended, turns: [{ ...turn, state: "cancelled" }] },
  ],
  "chat/error": [
    [begun],
    { type: "chat/error", turnId: "t", duration: 1_000, part: error },
    { ...ended, status: 2, turns: [{ ...turn, responseParts: [error], state: "error" }] },
  ],
  "chat/truncated": [
    [{ type: "chat/turnsLoaded", turns: [turn, { ...turn, id: "u" }] }],
    { type: "chat/truncated", turnId: "t" },
    { turns: [turn] },
  ],
  "chat/turnsLoaded": [
    [{ type: "chat/turnsLoaded", turns: [turn], turnsNextCursor: "1" }],
    { type: "chat/turnsLoaded", turns: [{ ...turn, id: "s" }] },
    { turns: [{ ...turn, id: "s" }, turn], turnsNextCursor: undefined },
  ],
  "chat/pendingMessageSet": [[], queued("m"), { queuedMessages: [{ id: "m", message }] }],
  "chat/pendingMessageRemoved": [
    [queued("m")],
    { type: "chat/pendingMessageRemoved", kind: "queued", id: "m" },
    { queuedMessages: undefined },
  ],
  "chat/queuedMessagesReordered": [
    [queued("m"), queued("n")],
    { type: "chat/queuedMessagesReordered", order: ["n"] },
    {
      queuedMessages: [
        { id: "n", message },
        { id: "m", message },
      ],
    },
  ],
  "chat/draftChanged": [[], { type: "chat/draftChanged", draft: message }, { draft: message }],
};

const SESSION: SessionState = {
  provider: "claude",
  title: "x",
  status: 8,
  lifecycle: "creating",
  activeClients: [],
  chats: [{ resource: CHAT.resource, title: "x", status: 1, modifiedAt: AT }],
};
const request = {
  id: "q",
  chat: CHAT.resource,
  kind: "toolConfirmation",
  turnId: "t",
  toolCall: { ...tool, status: "pending-confirmation" },
} as const;
const client: SessionAction = { type: "session/activeClientSet", activeClient: { clientId: "a" } };

const OF_SESSIONS: { readonly [Type in SessionAction["type"]]: Case<SessionAction> } = {
  "session/ready": [[], { type: "session/ready" }, { lifecycle: "ready" }],
  "session/chatUpdated": [
    [],
    { type: "session/chatUpdated", chat: CHAT.resource, changes: { status: 8 } },
    { chats: [{ resource: CHAT.resource, title: "x", status: 8, modifiedAt: AT }] },
  ],
  "session/titleChanged": [[], { type: "session/titleChanged", title: "y" }, { title: "y" }],
  "session/isReadChanged": [[], { type: "session/isReadChanged", isRead: true }, { status: 8 | 32 }],
  "session/isArchivedChanged": [
    [],
    { type: "session/isArchivedChanged", isArchived: true },
    { status: 8 | 64 },
  ],
  "session/activeClientSet": [[], client, { activeClients: [{ clientId: "a" }] }],
  "session/activeClientRemoved": [
    [client],
    { type: "session/activeClientRemoved", clientId: "a" },
    { activeClients: [] },
  ],
  "session/inputNeededSet": [
    [],
    { type: "session/inputNeededSet", request },
    { status: 24, inputNeeded: [request] },
  ],
  "session/inputNeededRemoved": [
    [{ type: "session/inputNeededSet", request }],
    { type: "session/inputNeededRemoved", id: "q" },
    { status: 8, inputNeeded: undefined },
  ],
};

test.each(Object.entries(OF_CHATS))("the rule of %s gives the state of the protocol", (type, one) => {
  const [before, action, after] = one;
  expect(action.type).toBe(type);
  const state = before.reduce(reduceChat, CHAT);
  expect(reduceChat(state, action)).toEqual({ ...state, ...after });
});

test.each(Object.entries(OF_SESSIONS))("the rule of %s gives the state of the protocol", (type, one) => {
  const [before, action, after] = one;
  expect(action.type).toBe(type);
  const state = before.reduce(reduceSession, SESSION);
  expect(reduceSession(state, action)).toEqual({ ...state, ...after });
});

/** The test of the host has the case of this rule: a list of agents replaces the one before. */
const OF_THE_ROOT: readonly string[] = ["root/agentsChanged"];

/** The host neither sends these actions nor takes them from a client. */
const NOT_OURS: Readonly<Record<string, readonly string[]>> = {
  "the host has no count of active sessions, no terminals and no configuration": [
    "root/activeSessionsChanged",
    "root/terminalsChanged",
    "root/configChanged",
    "session/configChanged",
  ],
  "a session is ready when a client sees it": ["session/creationFailed"],
  "a session has one chat": ["session/chatAdded", "session/chatRemoved", "session/defaultChatChanged"],
  "an agent's own program has its tools, servers and customizations": [
    "session/serverToolsChanged",
    "session/customizationsChanged",
    "session/customizationToggled",
    "session/customizationUpdated",
    "session/customizationRemoved",
    "session/mcpServerStateChanged",
    "session/mcpServerStartRequested",
    "session/mcpServerStopRequested",
    "chat/toolCallAuthRequired",
    "chat/toolCallAuthResolved",
  ],
  "a session keeps its folder": [
    "session/workingDirectorySet",
    "session/workingDirectoryRemoved",
    "session/workingDirectoryReplaced",
    "chat/workingDirectorySet",
    "chat/workingDirectoryRemoved",
  ],
  "no state has an activity in words, changesets or facts of this host": [
    "session/activityChanged",
    "chat/activityChanged",
    "session/changesetsChanged",
    "session/metaChanged",
  ],
  "a call is sent with its whole input, and its result needs no confirmation": [
    "chat/toolCallDelta",
    "chat/toolCallResultConfirmed",
    "chat/toolCallContentChanged",
  ],
  "a turn that has ended does not go on, and agents send no forms to this host": [
    "chat/turnResume",
    "chat/inputRequested",
    "chat/inputAnswerChanged",
    "chat/inputCompleted",
  ],
  "the host has no channel of this kind": ACTION_TYPES.filter((type) =>
    /^(?:changeset|annotations|terminal|resourceWatch|automation|automationRun)\//u.test(type),
  ),
};

test("each of the 96 actions of the protocol has a case, or a reason why its rule does not apply", () => {
  const ours = [...Object.keys(OF_CHATS), ...Object.keys(OF_SESSIONS), ...OF_THE_ROOT];
  expect(ACTION_TYPES).toHaveLength(96);
  expect(ours).toHaveLength(28);
  expect([...ours, ...Object.values(NOT_OURS).flat()].toSorted()).toEqual(ACTION_TYPES.toSorted());
});
