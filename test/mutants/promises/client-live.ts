/**
 * More promises of `packages/core/src/client/`: continuous sessions of a page, and the receivers of a client's
 * messages, each with a mistake that breaks it.
 */

import type { PromiseOfRoom } from "./promise.ts";

export const CLIENT_LIVE: readonly PromiseOfRoom[] = [
  {
    promise: "Evidence that a page left behind is sent to the session that came after.",
    file: "packages/core/src/client/live/client.ts",
    text: "state === null || (state.batches.length === 0 && state.sessionId !== sessionId)",
    mistake: "state === null || state.sessionId !== sessionId",
    test: "packages/core/src/client/live/client.test.ts",
  },
  {
    promise: "When a session has ended, frames come from the next one of its key.",
    file: "packages/core/src/client/live/client.ts",
    text: "    this.#feed.restart();\n",
    mistake: "",
    test: "packages/core/src/client/live/client.test.ts",
  },
  {
    promise: "A page that joined the session of another video asks for the outline of its own.",
    file: "packages/core/src/client/live/client.ts",
    text: "videoId === this.#sessionVideoId",
    mistake: "videoId === this.#options.videoId",
    test: "packages/core/src/client/live/client.test.ts",
  },
  {
    promise: "A token that was refused is tried rarely.",
    file: "packages/core/src/client/live/client.ts",
    text: "return this.#pause(Number.POSITIVE_INFINITY);",
    mistake: "return this.#pause(tries);",
    test: "packages/core/src/client/live/client.test.ts",
  },
  {
    promise: "Evidence that waits when the client is closed is rejected.",
    file: "packages/core/src/client/live/client.ts",
    text: "    for (const { reject } of this.#waiting.values()) reject(closed());\n",
    mistake: "",
    test: "packages/core/src/client/live/client.test.ts",
  },
  {
    promise: "A full outbox refuses evidence.",
    file: "packages/core/src/client/live/client.ts",
    text: "if (this.#batches.length >= LIMITS.outboxBatches) {",
    mistake: "if (this.#batches.length < 0) {",
    test: "packages/core/src/client/live/client.test.ts",
  },
  {
    promise: "A recording says who speaks in it.",
    file: "packages/core/src/client/live/recordings.ts",
    text: '  if (speaker !== undefined) query.set("speaker", speaker);\n',
    mistake: "  void speaker;\n",
    test: "packages/core/src/client/live/client.test.ts",
  },
  {
    promise: "The data of a page goes only to the configured server.",
    file: "packages/core/src/client/requests/same-server.ts",
    text: 'redirect: "manual"',
    mistake: 'redirect: "follow"',
    test: "packages/core/src/client/live/requests.test.ts",
  },
  {
    promise: "No error contains the password of a URL.",
    file: "packages/core/src/client/requests/address.ts",
    text: "hasSecret ? url.origin : String",
    mistake: "String",
    test: "packages/core/src/client/requests/obstacle.test.ts",
  },
  {
    promise: "The rest of a message that stays unanswered stays unanswered too.",
    file: "packages/core/src/client/agent-talk.ts",
    text: "return left.has(event.messageId);",
    mistake: "return false;",
    test: "packages/core/src/client/agent-talk.test.ts",
  },
  {
    promise: "Another token is used at once, and not only after the pause.",
    file: "packages/core/src/client/live/feed.ts",
    text: "      for (const timer of this.#timers) clearTimeout(timer);\n      this.#open();",
    mistake: "      void this.#timers;",
    test: "packages/core/src/client/live/feed.test.ts",
  },
  {
    promise: "Another token ends the connection that has the old one.",
    file: "packages/core/src/client/live/feed.ts",
    text: "if (this.#socket !== null) this.restart();",
    mistake: "if (this.#socket !== null) return;",
    test: "packages/core/src/client/live/feed.test.ts",
  },
  {
    promise: "A connection on which the server says nothing is given up and opened again.",
    file: "packages/core/src/client/live/feed.ts",
    text: "        socket.close();\n        this.#lost();",
    mistake: "        void socket;",
    test: "packages/core/src/client/live/feed.test.ts",
  },
  {
    promise: "Evidence that the outbox still stores when its client is closed is rejected.",
    file: "packages/core/src/client/live/client.ts",
    text: "          reject(closed());\n          return;\n",
    mistake: "          return;\n",
    test: "packages/core/src/client/live/client.test.ts",
  },
];
