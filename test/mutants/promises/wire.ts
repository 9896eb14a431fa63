/** The promises of `packages/core/src/wire/`, each with a mistake that breaks it. */

import type { PromiseOfRoom } from "./promise.ts";

export const WIRE: readonly PromiseOfRoom[] = [
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
