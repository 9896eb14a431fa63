/** More promises of `packages/store/src/channels/`: handles, participants and late readers, each with a mistake that breaks it. */

import type { PromiseOfRoom } from "./promise.ts";

const ROOM = "packages/store/src/channels";
const LIFECYCLE = `${ROOM}/lifecycle.test.ts`;
const CHANGES = { file: `${ROOM}/message-changes.ts`, test: `${ROOM}/message-changes.test.ts` };
const CHECKS = { file: `${ROOM}/frame-checks.ts`, test: `${ROOM}/frame-checks.test.ts` };
const WINDOW = { file: `${ROOM}/read-messages.ts`, test: `${ROOM}/late-reader.test.ts` };
const SESSION = { file: `${ROOM}/participant-session.ts`, test: LIFECYCLE };

export const CHANNEL_HOLDERS: readonly PromiseOfRoom[] = [
  {
    promise: "A message is answered even if a deleted channel of this name had one with its sequence.",
    file: `${ROOM}/claims.ts`,
    text: "if (known === messageId) return key;",
    mistake: 'if (known !== "") return key;',
    test: `${ROOM}/claims.test.ts`,
  },
  {
    promise: "A run that failed says why in the log of its participant.",
    file: `${ROOM}/claims.ts`,
    text: "const data = error === undefined ? { runId } : { runId, error };",
    mistake: "const data = { runId };",
    test: `${ROOM}/claims.test.ts`,
  },
  {
    promise: "A person and an agent that come at the same moment do not both get the handle.",
    file: `${ROOM}/handles.ts`,
    text: 'if ((await rivalOf(store, place, card))?.state !== "held") {',
    mistake: "if (fence !== null) {",
    test: LIFECYCLE,
  },
  {
    promise:
      "The handle of an agent whose server was killed on this machine is free before its lease expires.",
    file: `${ROOM}/handles.ts`,
    text: "return known?.token === rival.token ? known :",
    mistake: "return known?.token === rival.token ? undefined :",
    test: LIFECYCLE,
  },
  {
    promise: "The record of a killed server counts only for the holder that it was written for.",
    file: `${ROOM}/holder-process.ts`,
    text: "record.owner.startsWith(",
    mistake: "isOwnerGone(record.owner) || record.owner.startsWith(",
    test: LIFECYCLE,
  },
  {
    promise: "Servers of all versions write the same text as the holder of a handle.",
    file: `${ROOM}/participants.ts`,
    text: "JSON.stringify([instance, name, type, capabilities])",
    mistake: "JSON.stringify([instance, name, type, capabilities, process.pid])",
    test: LIFECYCLE,
  },
  {
    promise: "A newcomer waits while it is unknown whether the holder is connected.",
    file: `${ROOM}/handles.ts`,
    text: '? rival?.state === "expired" && performance.now() < until',
    mistake: '? rival?.state === "released" && performance.now() < until',
    test: LIFECYCLE,
  },
  {
    ...SESSION,
    promise: "The agent's own session of a participant can be removed.",
    text: "const patch = { metadata: { sdkSessionId } };",
    mistake: "const patch = { metadata: sdkSessionId === null ? {} : { sdkSessionId } };",
  },
  {
    ...SESSION,
    promise: "An input is unanswered however many other messages came before it.",
    text: "after = read < LIMITS.unansweredEvents ? page.nextAfter : null;",
    mistake: "after = null;",
  },
  {
    ...SESSION,
    promise: "A system message that a program stored is a system message in the history.",
    text: "{ content, role } : { content, messageId: id }",
    mistake: "{ content } : { content, messageId: id }",
  },
  {
    ...CHECKS,
    promise: "The attachment of a message that a program posts is kept.",
    text: "blobs: [...new Set([...(event.blobs ?? []), ...blobs])]",
    mistake: "blobs: event.blobs ?? []",
  },
  {
    ...CHECKS,
    promise: "The refusal of one of several events names it.",
    text: "details: { ...details, index }",
    mistake: "details",
  },
  {
    ...CHECKS,
    promise: "Nobody edits a message by appending to the log.",
    text: "  if (CHANGES.has(type)) throw change(type);\n",
    mistake: "",
  },
  {
    promise: "A late reader gets the edit of a message that is addressed to it.",
    file: `${ROOM}/replay.ts`,
    text: '"message_completed", "message_edited", "method_called"]',
    mistake: '"message_completed", "method_called"]',
    test: `${ROOM}/late-reader.test.ts`,
  },
  {
    ...WINDOW,
    promise: "A window of long messages has the newest that fit.",
    text: "    if (length > LIMITS.windowLength && first < messages.length) break;\n",
    mistake: "",
  },
  {
    ...WINDOW,
    promise: "A message in a window keeps its addressees.",
    text: "    ...(Array.isArray(to) ? { to } : {}),\n",
    mistake: "",
  },
  {
    promise: "A channel that was deleted keeps a sweep from no other one.",
    file: `${ROOM}/interrupt.ts`,
    text: ".catch(ignoreDeleted);",
    mistake: ".catch((error: unknown) => { ignoreDeleted(null); throw error; });",
    test: LIFECYCLE,
  },
  {
    ...CHANGES,
    promise: "A reaction that was taken back can be given again.",
    text: "return events.findLast(isOf) ?? null;",
    mistake: "return events.find(isOf) ?? null;",
  },
  {
    ...CHANGES,
    promise: "A message that was interrupted can be edited.",
    text: 'const END_TYPES = ["message_completed", "message_interrupted"];',
    mistake: 'const END_TYPES = ["message_completed"];',
  },
  {
    promise: "An agent receives the text of the last of several edits.",
    file: "packages/store/src/channels/message-changes.ts",
    text: "      edit = { id: event.id, content: data.content };",
    mistake: "      edit ??= { id: event.id, content: data.content };",
    test: "packages/store/src/channels/message-changes.test.ts",
  },
  {
    promise: "Channels with one name in two workspaces do not share a fold that is in progress.",
    file: "packages/store/src/channels/read-state.ts",
    text: "store.workspaceId}:$",
    mistake: '"w"}:$',
    test: "packages/store/src/channels/read-state.test.ts",
  },
  {
    promise: "The count of a message that is still written includes the message.",
    file: "packages/store/src/channels/agent-turns.ts",
    text: "turns: turns + (isTurn(event) ? 0 : 1)",
    mistake: "turns",
    test: "packages/store/src/channels/late-reader.test.ts",
  },
];
