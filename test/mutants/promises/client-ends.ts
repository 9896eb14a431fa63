/**
 * More promises of `packages/core/src/client/`: reports and actions of a client at an end, each with a mistake that
 * breaks it.
 */

import type { PromiseOfRoom } from "./promise.ts";

const EVENTS = {
  file: "packages/core/src/client/events.ts",
  test: "packages/core/src/client/events.test.ts",
};
const SESSION = {
  file: "packages/core/src/client/session.ts",
  test: "packages/core/src/client/session.test.ts",
};
const CLIENT = { file: "packages/core/src/client/client.ts", test: "packages/core/src/client/link.test.ts" };
const LINK = { file: "packages/core/src/client/link.ts", test: "packages/core/src/client/link.test.ts" };

export const CLIENT_ENDS: readonly PromiseOfRoom[] = [
  {
    ...EVENTS,
    promise: "A deletion says whose message it was.",
    text: "        author,\n        messageSequence",
    mistake: "        author: base.from,\n        messageSequence",
  },
  {
    ...EVENTS,
    promise: "A part whose words were pruned is not given.",
    text: " || event.pruned !== undefined) return null;",
    mistake: ") return null;",
  },
  {
    ...EVENTS,
    promise: "A text that its writer replaced is given.",
    text: "content: isDelta ? undefined : textOfContent(content),",
    mistake: "content: undefined,",
  },
  {
    promise: "A model learns that a message was interrupted.",
    file: "packages/core/src/client/missed-context.ts",
    text: 'interrupted: " (interrupted)",',
    mistake: 'interrupted: "",',
    test: "packages/core/src/client/missed-context.test.ts",
  },
  {
    ...SESSION,
    promise: "A session that cannot be opened is warned of once.",
    text: 'if (this.#state.type !== "degraded") this.#options.warn',
    mistake: "this.#options.warn",
  },
  {
    ...SESSION,
    promise: "The agent's session that was named in degraded mode is sent later.",
    text: "    this.#deferred = { ...this.#deferred, sdkSessionId };\n",
    mistake: "",
  },
  {
    ...CLIENT,
    promise: "A client that comes back continues after the last event that it has.",
    text: "...(this.#everGreeted\n",
    mistake: "...(this.#inbox.position < 0\n",
  },
  {
    ...CLIENT,
    promise: "A client that is closed first sends the collected parts of its message.",
    text: "    this.#writer.flushAll();\n",
    mistake: "",
  },
  {
    ...CLIENT,
    promise: "A client that is closed says how far it was read.",
    text: "    this.#session?.flush();\n",
    mistake: "",
  },
  {
    ...LINK,
    promise: "A frame that is too long does not end every connection.",
    text: "      if (code === CLOSE.tooLarge) this.#dropLongest();\n",
    mistake: "",
  },
  {
    ...LINK,
    promise: "Clients come back to a server that ends when it asked for it.",
    text: 'if (frame.type === "bye") this.#retryMs = frame.retryMs;',
    mistake: "",
  },
  {
    file: "packages/core/src/client/agent-talk.ts",
    test: "packages/core/src/client/agent-talk.test.ts",
    promise: "A message of the server does not let agents answer each other again.",
    text: 'if (event.kind === "person") {',
    mistake: 'if (event.kind !== "agent") {',
  },
  {
    file: "packages/core/src/client/whole-messages.ts",
    test: "packages/core/src/client/hand-over.test.ts",
    promise: "An interrupted question is addressed to no agent.",
    text: "const isOver = { addressed: false,",
    mistake: "const isOver = { addressed: first.addressed,",
  },
  {
    promise: "No older message is shown to a model when a newer one was too long.",
    file: "packages/core/src/client/missed-context.ts",
    text: "if (length + text.length > maxChars) break;",
    mistake: "if (length + text.length > maxChars) continue;",
    test: "packages/core/src/client/missed-context.test.ts",
  },
  {
    promise: "A call gets its result although the inbox is full and nobody reads the events.",
    file: "packages/core/src/client/inbox.ts",
    text: '  flow(): void {\n    if (this.#state === "full") this.#ask();\n',
    mistake: "  flow(): void {\n",
    test: "packages/core/src/client/inbox.test.ts",
  },
  {
    promise: "A stop also ends the answer to a message that is still being sent.",
    file: "packages/core/src/client/chat/open-chat.ts",
    text: "    // A message that is being sent is stopped too.\n    await this.#last;\n",
    mistake: "",
    test: "packages/core/src/client/chat/open-chat.test.ts",
  },
  {
    promise: "A request that is refused because of its rate is tried again.",
    file: "packages/core/src/client/requests/patiently.ts",
    text: "= [429, 502, 503, 504]",
    mistake: "= [502, 503, 504]",
    test: "packages/core/src/client/chat/open-chat.test.ts",
  },
  {
    promise: "A request of a live client ends when its signal aborts.",
    file: "packages/core/src/client/live/requests.ts",
    text: "signal: signal === undefined ? timeout : AbortSignal.any([timeout, signal]),",
    mistake: "signal: timeout,",
    test: "packages/core/src/client/live/requests.test.ts",
  },
  {
    ...LINK,
    promise: "A link that is closed twice leaves once.",
    text: "this.#closing ??= this.#close();",
    mistake: "this.#closing = this.#close();",
  },
  {
    promise: "A message whose bytes do not fit in a frame is refused before it is sent.",
    file: "packages/core/src/client/link.ts",
    text: "return text.length * 3 > bytes && new TextEncoder().encode(text).length > bytes;",
    mistake: "return text.length > bytes;",
    test: "packages/core/src/client/link.test.ts",
  },
];
