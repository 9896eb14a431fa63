/** More promises of `packages/server/src/server/`: channels, sessions and continuous sessions, each with a mistake that breaks it. */

import type { PromiseOfRoom } from "./promise.ts";

export const SERVER_CHANNELS: readonly PromiseOfRoom[] = [
  {
    file: "packages/server/src/server/channels/admit.ts",
    test: "test/channels/contract/sqlite.test.ts",
    promise: "A replay after `processed` brings everything that was received and not answered.",
    text: "return session?.processed ?? 0;",
    mistake: "return session?.received ?? 0;",
  },
  {
    file: "packages/server/src/server/channels/seats.ts",
    test: "packages/server/src/server/channels/seats.test.ts",
    promise: "A connection that left says nothing about a newer holder of its handle.",
    text: "return this.#left.get(key)?.token === token || this.#isSettled(key, lease);",
    mistake: "return this.#left.has(key) || this.#isSettled(key, lease);",
  },
  {
    file: "packages/server/src/server/channels/hub.ts",
    test: "packages/server/src/server/channels/hub.test.ts",
    promise: "A participant that left is reported to those who stay.",
    text: 'if (!now.has(participant.handle)) tellAll(room, "left", participant);',
    mistake: 'if (now.size === 0) tellAll(room, "left", participant);',
  },
  {
    file: "packages/server/src/server/sessions/input.ts",
    test: "packages/server/src/server/sessions/input.test.ts",
    promise: "A file of a message comes with its content, and no address is fetched.",
    text: "  if (data === undefined) {",
    mistake: '  if (data === undefined && url.startsWith("file:")) {',
  },
  {
    promise: "Channels of one name in two workspaces have rosters of their own.",
    file: "packages/server/src/server/channels/hub.ts",
    text: "{workspaceId}:$",
    mistake: '{""}:$',
    test: "packages/server/src/server/channels/hub.test.ts",
  },
  {
    promise: "A handle that is held in one workspace is free in another one.",
    file: "packages/server/src/server/channels/seats.ts",
    text: "{workspaceId}:$",
    mistake: '{""}:$',
    test: "packages/server/src/server/channels/seats.test.ts",
  },
  {
    promise: "A client that leaves while its session is read leaves no listener.",
    file: "packages/server/src/server/live/connection.ts",
    text: "    if (this.#over.signal.aborted) return;\n    const latestSequence",
    mistake: "    const latestSequence",
    test: "packages/server/src/server/live/connection.test.ts",
  },
  {
    promise: "Another session than the one that a client knows is sent from its beginning.",
    file: "packages/server/src/server/live/connection.ts",
    text: "const after = hello.sessionId === undefined || hello.sessionId === sessionId ? (hello.after ?? 0) : 0;",
    mistake: "const after = hello.after ?? 0;",
    test: "packages/server/src/server/live/connection.test.ts",
  },
];
