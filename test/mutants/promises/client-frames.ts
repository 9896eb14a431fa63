/** More promises of `packages/core/src/client/`: frames, events and the outbox, each with a mistake that breaks it. */

import type { PromiseOfRoom } from "./promise.ts";

const AGENT_TALK = {
  file: "packages/core/src/client/agent-talk.ts",
  test: "packages/core/src/client/agent-talk.test.ts",
};
const CALLS = { file: "packages/core/src/client/calls.ts", test: "packages/core/src/client/calls.test.ts" };
const CLIENT = { file: "packages/core/src/client/client.ts", test: "packages/core/src/client/link.test.ts" };
const CONNECT = {
  file: "packages/core/src/client/connect.ts",
  test: "packages/core/src/client/link.test.ts",
};
const EVENTS = {
  file: "packages/core/src/client/events.ts",
  test: "packages/core/src/client/events.test.ts",
};
const HAND_OVER = {
  file: "packages/core/src/client/hand-over.ts",
  test: "packages/core/src/client/hand-over.test.ts",
};
const INBOX = { file: "packages/core/src/client/inbox.ts", test: "packages/core/src/client/inbox.test.ts" };
const LINK = { file: "packages/core/src/client/link.ts", test: "packages/core/src/client/link.test.ts" };
const LIVE_CLIENT = {
  file: "packages/core/src/client/live/client.ts",
  test: "packages/core/src/client/live/client.test.ts",
};
const SPEECH = {
  file: "packages/core/src/client/live/speech.ts",
  test: "packages/core/src/client/live/speech.test.ts",
};

export const CLIENT_FRAMES_CLIENT: readonly PromiseOfRoom[] = [
  {
    ...AGENT_TALK,
    promise: "Agents that ended their talk do not begin it again after a restart.",
    text: "turns = event.turns ?? turns + 1;",
    mistake: "turns += 1;",
  },
  {
    ...AGENT_TALK,
    promise: "A stopped conversation of agents is reported once.",
    text: "if (!isStopped) onStop();",
    mistake: "onStop();",
  },
  {
    ...AGENT_TALK,
    promise: "Messages of the server do not count toward the limit of agents.",
    text: 'if (event.kind !== "agent") return false;',
    mistake: "",
  },
  {
    ...CALLS,
    promise: "A call that its signal ended is cancelled at the other side.",
    text: "      cancel(reason);\n",
    mistake: "      if (signal === undefined) cancel(reason);\n",
  },
  {
    ...CALLS,
    promise: "A call whose caller had given up before is not waited for.",
    text: "    if (signal?.aborted === true) abort();\n    const clear",
    mistake: "    const clear",
  },
  {
    ...CLIENT,
    promise: "The first connection says from where the caller wants the replay.",
    text: ": { after: await startOf(options.after, token), replay: options.replayMode }),",
    mistake: ": { after: await startOf(options.after, token) }),",
  },
  {
    ...CLIENT,
    promise: "A message with an id of the caller's is sent under that id.",
    text: "options.id ?? options.messageId ?? this.#newId();",
    mistake: "this.#newId();",
  },
  {
    ...CLIENT,
    promise: "A deletion says its reason.",
    text: "messageId, ...present({ reason }) });",
    mistake: "messageId });",
  },
  {
    ...CLIENT,
    promise: "Participants that joined and left while the connection was lost are reported.",
    text: 'if (!now.has(one.handle)) this.#present("left", one);',
    mistake: "if (!now.has(one.handle)) continue;",
  },
  {
    ...CLIENT,
    promise: "Participants that are connected before a client are not reported as joined.",
    text: "    if (before.size > 0) {\n",
    mistake: "    {\n",
  },
  {
    ...CLIENT,
    promise: "Calls that wait end with the connection.",
    text: "    this.#calls.failAll(reason);\n",
    mistake: "",
  },
  {
    ...CONNECT,
    promise: "A participant without a type is a person.",
    text: "const { name = handle, type = PERSON } = options;",
    mistake: 'const { name = handle, type = "agent" } = options;',
  },
  {
    ...CONNECT,
    promise: "A client that names no place continues after the last event that it processed.",
    text: 'options.after ?? "processed", options',
    mistake: 'options.after ?? "latest", options',
  },
  {
    ...CONNECT,
    promise: "The first place in the log is a place.",
    text: 'options.after ?? "processed", options',
    mistake: 'options.after || "processed", options',
  },
  {
    ...EVENTS,
    promise: "A call to the reader that was not processed is marked as redelivered.",
    text: "redelivered: addressed && sequence > processed && sequence <= received,",
    mistake: "redelivered: addressed && sequence > processed && sequence < received,",
  },
  {
    ...EVENTS,
    promise: "A message says what it replies to.",
    text: 'replyTo: typeof replyTo === "string" ? replyTo : undefined,',
    mistake: "replyTo: undefined,",
  },
  {
    ...EVENTS,
    promise: "The interruption of a message names its writer.",
    text: 'return message({ ...base, from }, event, "interrupted");',
    mistake: 'return message(base, event, "interrupted");',
  },
  {
    ...HAND_OVER,
    promise: "An abandoned iteration returns no more events.",
    text: 'signal?.addEventListener("abort", wake, { once: true });',
    mistake: "",
  },
  {
    ...HAND_OVER,
    promise: "The participant that was called learns that the call was cancelled.",
    text: "if (event.addressed) open.add(event.callId);",
    mistake: "",
  },
  {
    ...INBOX,
    promise: "A reader that is slow has a bounded number of characters in memory.",
    text: " && this.#length < LIMITS.queuedLength;",
    mistake: ";",
  },
  {
    ...INBOX,
    promise: "What was read gives room for more characters.",
    text: "        this.#length -= lengthOf(event);\n",
    mistake: "",
  },
  {
    ...LINK,
    promise: "Requests are sent again in their order.",
    text: "for (const { text } of this.#pending.values()) this.#write(text);",
    mistake: "for (const { text } of [...this.#pending.values()].toReversed()) this.#write(text);",
  },
  {
    ...LINK,
    promise: "Pauses begin short again after a connection that worked.",
    text: "    this.#obstacle = null;\n    this.#tries = 0;",
    mistake: "    this.#obstacle = null;",
  },
  {
    ...LIVE_CLIENT,
    promise: "Evidence is kept in the outbox before it is sent.",
    text: "          await this.#outbox.add(batch);\n",
    mistake: "          void this.#outbox.add(batch);\n",
  },
  {
    ...LIVE_CLIENT,
    promise: "Evidence that moves to the next session has new numbers from zero.",
    text: "this.#batches.map(({ evidence }, sequence): OutboxBatch => ({ sequence, evidence }));",
    mistake: "this.#batches.map(({ evidence, sequence }): OutboxBatch => ({ sequence, evidence }));",
  },
  {
    ...LIVE_CLIENT,
    promise: "The end of a session waits for speech too.",
    text: "    await this.#speech.flushed();\n",
    mistake: "",
  },
  {
    ...LIVE_CLIENT,
    promise: "A page says that it is there as long as it is open.",
    text: "    clearInterval(this.#ping);\n",
    mistake: "",
  },
  {
    ...SPEECH,
    promise: "Speech that the server refuses is not sent again by the next page.",
    text: "if (!isKept(error)) await box?.remove(recording.id);",
    mistake: "",
  },
  {
    ...SPEECH,
    promise: "Recordings go in their order.",
    text: "const done = this.#turn.then(work).finally(",
    mistake: "const done = work().finally(",
  },
  {
    file: "packages/core/src/client/live/recordings.ts",
    test: "packages/core/src/client/live/client.test.ts",
    promise: "A recording names its language.",
    text: 'if (lang !== undefined) query.set("lang", lang);',
    mistake: "",
  },
  {
    file: "packages/core/src/client/requests/same-server.ts",
    test: "packages/core/src/client/live/requests.test.ts",
    promise: "The token of a live session is not sent to the target of a redirect.",
    text: 'redirect: "manual"',
    mistake: 'redirect: "follow"',
  },
];
