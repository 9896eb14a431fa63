/** The promises of `packages/core/src/wire/`, each with a mistake that breaks it. */

import type { PromiseOfRoom } from "./promise.ts";

const LIVE_FOLD = {
  file: "packages/core/src/wire/live-fold.ts",
  test: "packages/core/src/wire/live-fold.test.ts",
};

export const WIRE: readonly PromiseOfRoom[] = [
  {
    ...LIVE_FOLD,
    promise: "A question that a decision names is no longer open.",
    text: "if (decided.has(requestId) || (answer !== null && decided.has(answer))) requests",
    mistake: "if (answer !== null && decided.has(answer)) requests",
  },
  {
    ...LIVE_FOLD,
    promise: "A state that an event only repeats does not begin again.",
    text: "state !== from && state !== view.state",
    mistake: "state !== view.state",
  },
  {
    ...LIVE_FOLD,
    promise: "A note that is archived keeps its place among the notes.",
    text: 'if (change.verb !== "archived") notes.delete(change.noteId);',
    mistake: "notes.delete(change.noteId);",
  },
  {
    ...LIVE_FOLD,
    promise: "Nobody waits for the answer to a question without an id.",
    text: 'if (requestId !== "") requests.set',
    mistake: "requests.set",
  },
  {
    ...LIVE_FOLD,
    promise: "An answer by a frame ends a question for every reader.",
    text: 'new Set(["transcript_added", "remark_added", "frame_captured"])',
    mistake: 'new Set(["transcript_added", "remark_added"])',
  },
  {
    promise: "An edit by another participant changes nothing.",
    file: "packages/core/src/wire/message-change.ts",
    text: "if (from !== handle) return message;",
    mistake: "",
    test: "packages/core/src/wire/message-change.test.ts",
  },
  {
    promise: "A deleted message stays deleted.",
    file: "packages/core/src/wire/message-change.ts",
    text: 'if (state === "deleted") return message;',
    mistake: "",
    test: "packages/core/src/wire/message-change.test.ts",
  },
  {
    promise: "A message in progress is neither edited nor deleted.",
    file: "packages/core/src/wire/message-change.ts",
    text: 'if (state === "open") return message;',
    mistake: "",
    test: "packages/core/src/wire/message-change.test.ts",
  },
  {
    promise: "A deleted message has no reactions.",
    file: "packages/core/src/wire/message-change.ts",
    text: "const { reactions: _reactions, blocks: _blocks, ...rest } = message;",
    mistake: "const { blocks: _blocks, ...rest } = message;",
    test: "packages/core/src/wire/message-change.test.ts",
  },
  {
    promise: "An edit to a plain text removes the blocks.",
    file: "packages/core/src/wire/message-change.ts",
    text: "const { blocks: _, ...rest } = message;",
    mistake: "const rest = message;",
    test: "packages/core/src/wire/message-change.test.ts",
  },
  {
    promise: "A participant counts once for a reaction.",
    file: "packages/core/src/wire/message-change.ts",
    text: "if (known.handles.includes(handle)) return reactions;",
    mistake: "",
    test: "packages/core/src/wire/message-change.test.ts",
  },
  {
    promise: "A reaction without participants is gone.",
    file: "packages/core/src/wire/message-change.ts",
    text: ".filter(({ handles }) => handles.length > 0);",
    mistake: ";",
    test: "packages/core/src/wire/message-change.test.ts",
  },
  {
    promise: "A change whose payload was removed does nothing.",
    file: "packages/core/src/wire/message-change.ts",
    text: "if (event.pruned !== undefined) return null;",
    mistake: "",
    test: "packages/core/src/wire/message-change.test.ts",
  },
  {
    promise: "Only the server interrupts a message.",
    file: "packages/core/src/wire/message-change.ts",
    text: 'return event.type === "message_interrupted" ? isByServer(event) : authorOf(event) === writer;',
    mistake: "return authorOf(event) === writer || isByServer(event);",
    test: "packages/store/src/channels/state.test.ts",
  },
  {
    promise: "A message in progress keeps the parts that came before.",
    file: "packages/core/src/wire/message-change.ts",
    text: 'typeof delta === "string" ? text + delta : text',
    mistake: 'typeof delta === "string" ? delta : text',
    test: "packages/store/src/channels/state.test.ts",
  },
];
