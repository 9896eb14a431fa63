import { expect, test } from "vitest";
import type { InputRequest, SessionAction, SessionState } from "./protocol.ts";
import { reduceSession } from "./session-reducer.ts";

const AT = "2026-03-01T10:00:00.000Z";
const chat = (name: string) => ({
  resource: `ahp-chat://default/${name}`,
  title: name,
  status: 1,
  modifiedAt: AT,
});
const SESSION: SessionState = {
  provider: "claude",
  title: "Retries",
  status: 1 | 32,
  lifecycle: "ready",
  activeClients: [{ clientId: "a", name: "first" }],
  chats: [chat("x"), chat("y")],
};
const request = (id: string, turnId = "t1"): InputRequest => ({
  id,
  chat: "ahp-chat://default/x",
  kind: "toolConfirmation",
  turnId,
  toolCall: { status: "pending-confirmation", toolCallId: id, toolName: "Bash", displayName: "Bash" },
});
/** A turn runs, and its questions wait. */
const ASKED: SessionState = { ...SESSION, status: 24 | 32, inputNeeded: [request("q1"), request("q2")] };

test.each<[string, SessionState, SessionAction, SessionState]>([
  [
    "a session that is made is ready",
    { ...SESSION, lifecycle: "creating" },
    { type: "session/ready" },
    SESSION,
  ],
  [
    "a chat takes the changes, but keeps its name",
    SESSION,
    {
      type: "session/chatUpdated",
      chat: "ahp-chat://default/y",
      changes: { status: 8, interactivity: "read-only", resource: "other" } as object,
    },
    { ...SESSION, chats: [chat("x"), { ...chat("y"), status: 8, interactivity: "read-only" }] },
  ],
  [
    "the changes of an unknown chat change nothing",
    SESSION,
    { type: "session/chatUpdated", chat: "ahp-chat://default/z", changes: { status: 8 } },
    SESSION,
  ],
  [
    "a title is replaced",
    SESSION,
    { type: "session/titleChanged", title: "Loops" },
    { ...SESSION, title: "Loops" },
  ],
  [
    "an unread session keeps its activity",
    ASKED,
    { type: "session/isReadChanged", isRead: false },
    { ...ASKED, status: 24 },
  ],
  [
    "a session that is read keeps its activity",
    { ...SESSION, status: 8 },
    { type: "session/isReadChanged", isRead: true },
    { ...SESSION, status: 8 | 32 },
  ],
  [
    "an archived session keeps its other bits",
    ASKED,
    { type: "session/isArchivedChanged", isArchived: true },
    { ...ASKED, status: 24 | 32 | 64 },
  ],
  [
    "a session that returns from the archive keeps its other bits",
    { ...ASKED, status: 24 | 32 | 64 },
    { type: "session/isArchivedChanged", isArchived: false },
    ASKED,
  ],
  [
    "a new client comes last",
    SESSION,
    { type: "session/activeClientSet", activeClient: { clientId: "b" } },
    { ...SESSION, activeClients: [...SESSION.activeClients, { clientId: "b" }] },
  ],
  [
    "a client that is known is replaced in its place, with nothing of what it was",
    { ...SESSION, activeClients: [...SESSION.activeClients, { clientId: "b" }] },
    { type: "session/activeClientSet", activeClient: { clientId: "a", tools: [] } },
    { ...SESSION, activeClients: [{ clientId: "a", tools: [] }, { clientId: "b" }] },
  ],
  [
    "a client that leaves is removed",
    SESSION,
    { type: "session/activeClientRemoved", clientId: "a" },
    { ...SESSION, activeClients: [] },
  ],
  [
    "the leaving of an unknown client changes nothing",
    SESSION,
    { type: "session/activeClientRemoved", clientId: "z" },
    SESSION,
  ],
  [
    "the first question makes the session wait for input, and keeps its other bits",
    { ...SESSION, status: 8 | 32 | 64 },
    { type: "session/inputNeededSet", request: request("q1") },
    { ...SESSION, status: 24 | 32 | 64, inputNeeded: [request("q1")] },
  ],
  [
    "a question that is known is replaced in its place",
    ASKED,
    { type: "session/inputNeededSet", request: request("q1", "t2") },
    { ...ASKED, inputNeeded: [request("q1", "t2"), request("q2")] },
  ],
  [
    "while another question waits, the session waits",
    ASKED,
    { type: "session/inputNeededRemoved", id: "q1" },
    { ...ASKED, inputNeeded: [request("q2")] },
  ],
  [
    "after the last question the turn runs, and the list of questions is gone",
    { ...ASKED, inputNeeded: [request("q1")] },
    { type: "session/inputNeededRemoved", id: "q1" },
    { ...SESSION, status: 8 | 32 },
  ],
  [
    "the removal of an unknown question changes nothing",
    ASKED,
    { type: "session/inputNeededRemoved", id: "q9" },
    ASKED,
  ],
])("%s", (_what, before, action, then) => {
  expect(reduceSession(before, action)).toStrictEqual(then);
});
