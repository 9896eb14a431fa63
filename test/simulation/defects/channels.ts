/**
 * Defects in channels: participants, messages in parts, replays, cursors, handles, sweeps, and the sockets of both
 * sides.
 */

import type { Defect } from "../programs.ts";

const REQUESTS = "server/channels/requests.ts";
const CONNECTION = "server/channels/connection.ts";
const FRAME_QUEUE = "server/channels/frame-queue.ts";

export const CHANNEL_DEFECTS: readonly Defect[] = [
  {
    name: "a message that nobody knows to have ended takes more",
    file: REQUESTS,
    find: "if (messageId !== undefined && !isRefused(error)) participation.unsure.add(messageId);",
    replace: "",
  },
  {
    name: "who leaves forgets a message whose beginning was not answered",
    file: REQUESTS,
    find: "return open.size > 0 || unsure.size > 0 || cameBack;",
    replace: "return open.size > 0;",
  },
  {
    name: "writes of a participant are not fenced",
    file: "channels/post.ts",
    find: "const given = present({ lease: author.fence, also });",
    replace: "const given = present({ also });",
  },
  {
    name: "an ended message takes more parts",
    file: "channels/post.ts",
    find: "const isOver = isPart(frame) && !open.has(frame.messageId);",
    replace: "const isOver = false;",
  },
  {
    name: "a message stays open for its writer after its end",
    file: "channels/post.ts",
    find: 'if (frame.type === "complete") next.delete(messageId);',
    replace: "",
  },
  {
    name: "the replay begins one event too late",
    file: CONNECTION,
    find: "const after = Math.max(from, replay.wholeAfter);",
    replace: "const after = Math.max(from, replay.wholeAfter) + 1;",
  },
  {
    name: "a client comes back one event too early in the chain",
    file: "client/inbox.ts",
    find: 'if (event.sequence <= this.#position || this.#state === "full") return;',
    replace: 'if (event.sequence < this.#position || this.#state === "full") return;',
  },
  {
    name: "a client takes an event that does not follow the one before",
    file: "client/inbox.ts",
    find: "if (after !== this.#position) {",
    replace: "if (after < 0) {",
  },
  {
    name: "a client comes back at the newest event",
    file: "client/client.ts",
    find: "? { after: this.#inbox.position }",
    replace: '? { after: "latest" as const }',
  },
  {
    name: "a client does not send again what was not confirmed",
    file: "client/link.ts",
    find: "for (const { text } of this.#pending.values()) this.#write(text);",
    replace: "",
  },
  {
    name: "a client sends again under another id",
    file: "client/link.ts",
    find: "for (const { text } of this.#pending.values()) this.#write(text);",
    replace:
      'for (const { text } of this.#pending.values()) this.#write(text.replace(/"id":"([^"]+)"/u, \'"id":"again-$1"\'));',
  },
  {
    name: "a client never gives up a silent connection",
    file: "client/link.ts",
    find: "if (performance.now() - this.#heardAt > CHANNEL_LIMITS.silenceMs) {",
    replace: "if (performance.now() < 0) {",
  },
  {
    name: "a client that comes back is another participant",
    file: "client/client.ts",
    find: "instance: this.#instance,",
    replace: "instance: this.#newId(),",
  },
  {
    name: "the end of a message has only its last part",
    file: "client/writer.ts",
    find: "message.text += delta;",
    replace: "message.text = delta;",
  },
  {
    name: "parts that wait are forgotten when a message ends",
    file: "client/writer.ts",
    find: "    this.#flush(messageId, message);\n    this.#open.delete(messageId);",
    replace:
      "    message.text = message.text.slice(0, message.text.length - message.gathered.length);\n    this.#open.delete(messageId);",
  },
  {
    name: "the checkpoint is not stored",
    file: "channels/participant-session.ts",
    find: '{ type: "cursor", logId, name: processedCursor(place), sequence },\n      ...writes,',
    replace: "...writes,",
  },
  {
    name: "cursors go back",
    file: "store/rules/cursors.ts",
    find: "> cursors.sequence then $",
    replace: "> cursors.sequence or 1 = 1 then $",
  },
  {
    name: "the processed cursor does not move with the end of a run",
    file: "channels/claims.ts",
    find: 'also.push({ type: "cursor", logId, name: processedCursor(place), sequence });',
    replace: "void processedCursor; void logId;",
  },
  {
    name: "an input is claimed before an earlier one",
    file: "channels/claims.ts",
    find: "await assertFirst(store, options, { processed: session.processed, deleted });",
    replace: "",
  },
  {
    name: "a claim of another connection takes over the run as it is",
    file: "channels/claims.ts",
    find: 'const isOwn = run.status === "running" && run.owner === instance;',
    replace: 'const isOwn = run.status === "running";',
  },
  {
    name: "a whole answer of a killed agent is not recognised",
    file: "channels/claims.ts",
    find: "if (answer !== null) {\n    await endRun",
    replace: 'if (answer === "") {\n    await endRun',
  },
  {
    name: "each attempt of a run has the same id",
    file: "channels/claims.ts",
    find: "const run = await store.getRun(runIdOf(place, event, attempt));",
    replace: "const run = await store.getRun(runIdOf(place, event, 1));",
  },
  {
    name: "a sweep does not end the messages",
    file: "channels/interrupt.ts",
    find: "await appendInterruptions(store, place, { left, fence, reason });\n}\n\ninterface Interruptions",
    replace: "}\n\ninterface Interruptions",
  },
  {
    name: "a sweep is called off by whoever is there",
    file: "channels/interrupt.ts",
    find: "for (const lease of items) if (await isGone(lease)) gone.push(lease);",
    replace: "for (const lease of items.slice(1)) if (await isGone(lease)) gone.push(lease);",
  },
  {
    name: "a lost connection frees the handle at once",
    file: "channels/handles.ts",
    find: "await store.renewLease({ ...fence, ttlMs: CHANNEL_LIMITS.reconnectMs });",
    replace: "await store.releaseLease(fence);",
  },
  {
    name: "messages of an earlier life of an agent stay open",
    file: "server/channels/admit.ts",
    find: 'return interruptMessages(store, where, { fence, reason: "the writer began anew", except, state });',
    replace: "return openMessagesOf(state, where.handle);",
  },
  {
    name: "a second connection takes a handle that is held",
    file: "channels/handles.ts",
    find: 'if ((await rivalOf(store, place, card))?.state !== "held") {',
    replace: "{",
  },
  {
    name: "a heartbeat does not renew the lease",
    file: CONNECTION,
    find: "if (now - this.#renewedAt >= LIMITS.renewMs) this.#renew();",
    replace: "void now;",
  },
  {
    name: "who left and is told so keeps on writing",
    file: CONNECTION,
    find: 'if (this.#state !== "open") throw new ContinuoError("invalid", "the first frame must be a hello");',
    replace: "",
  },
  {
    name: "a replay that collects leaves out what speaks to the reader",
    file: "channels/replay.ts",
    find: "yield* page.events.filter((event) => isWhole(event) && isAddressedTo(event, handle));",
    replace: "yield* page.events.filter((event) => !isWhole(event) && isAddressedTo(event, handle));",
  },
  {
    name: "parts of messages that go on are left out of a replay",
    file: "channels/replay.ts",
    find: 'const isLeftOut = state === "open" && !open.has(event.id);',
    replace: 'const isLeftOut = state === "open";',
  },
  {
    name: "a deleted message takes changes",
    file: "channels/message-changes.ts",
    find: 'if (ofMessage.some(({ type }) => type === "message_deleted")) {',
    replace: "if (ofMessage.length < 0) {",
  },
  {
    name: "anybody edits any message",
    file: "channels/message-changes.ts",
    find: 'if (writer !== handle && !(frame.type === "delete" && moderates)) {',
    replace: "if (writer === undefined) {",
  },
  {
    name: "a reaction that is there is added again",
    file: "channels/message-changes.ts",
    find: "const same = refusal === null && last?.type === event.type ? last : null;",
    replace: "const same = null; void last;",
  },
  {
    name: "a replay has the words of deleted messages",
    file: "channels/replay.ts",
    find: "const deleted = after < upTo ? await deletedAfter(store, channel, after) : new Set<string>();",
    replace: "const deleted = new Set<string>(); void deletedAfter;",
  },
  {
    name: "a fold forgets the parts before a snapshot of it",
    file: "channels/state.ts",
    find: "const after = messageAfter(message.text, event);",
    replace: 'const after = messageAfter("", event);',
  },
  {
    name: "frames of a participant are processed at the same time",
    file: FRAME_QUEUE,
    find: "this.#work = this.#work.then(async () => {\n      await work();",
    replace: "this.#work = Promise.resolve().then(async () => {\n      await work();",
  },
];
