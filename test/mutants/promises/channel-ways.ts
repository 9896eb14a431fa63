/** More promises of channels, of the store and of each way in, each with a mistake that breaks it. */

import type { PromiseOfRoom } from "./promise.ts";

const CLAIMS = {
  file: "packages/store/src/channels/claims.ts",
  test: "packages/store/src/channels/message-changes.test.ts",
};
const DEVICES = {
  file: "packages/store/src/channels/devices.ts",
  test: "packages/store/src/channels/devices.test.ts",
};
const POST = {
  file: "packages/store/src/channels/post.ts",
  test: "packages/store/src/channels/lifecycle.test.ts",
};
const ADMIT = {
  file: "packages/server/src/server/channels/admit.ts",
  test: "test/server/channel-sockets.test.ts",
};
const CONNECTION = {
  file: "packages/server/src/server/channels/connection.ts",
  test: "test/server/channel-sockets.test.ts",
};
const ROUTES = {
  file: "packages/server/src/server/channels/routes.ts",
  test: "test/server/channel-events.test.ts",
};

export const CHANNEL_WAYS_CHANNELS: readonly PromiseOfRoom[] = [
  {
    ...CLAIMS,
    promise: "An input that was edited is claimed with the words that its author gave it last.",
    text: "const event = await inputOf(store, place, said);",
    mistake: "const event = { ...said, key: String(said.sequence) };",
  },
  {
    ...CLAIMS,
    promise: "A deleted input counts as answered, so that the next one can be.",
    text: "if (deleted.has(messageIdOf(said))) return await passOver(store, options);",
    mistake: 'if (deleted.has(messageIdOf(said))) return { state: "done", runId: null };',
  },
  {
    file: "packages/store/src/channels/claims.ts",
    test: "packages/store/src/channels/claims.test.ts",
    promise: "A participant ends only its own runs.",
    text: "run === null || run.sessionId !== sessionId",
    mistake: "run === null",
  },
  {
    file: "packages/store/src/channels/handles.ts",
    test: "packages/store/src/channels/lifecycle.test.ts",
    promise: "Who gives up waiting for a handle does not take it later.",
    text: "    signal?.throwIfAborted();\n",
    mistake: "",
  },
  {
    ...DEVICES,
    promise: "A participant has exactly as many devices as allowed.",
    text: "if (kept.length >= CHANNEL_LIMITS.devices) throw",
    mistake: "if (kept.length > CHANNEL_LIMITS.devices) throw",
  },
  {
    ...DEVICES,
    promise: "Devices that were not seen for a month stay while there is room.",
    text: "const kept = isFull ? others.filter(([, day]) => day >= oldest) : others;",
    mistake: "const kept = others.filter(([, day]) => day >= oldest);",
  },
  {
    ...POST,
    promise: "A frame that was stored before its message ended is answered as it was.",
    text: "  const stored = await store\n    .append(",
    mistake: "  if (refusal !== null) throw refusal;\n  const stored = await store\n    .append(",
  },
  {
    ...POST,
    promise: "A message in progress names the connection that writes it.",
    text: "{ state: frame.state, writer: author.instance }",
    mistake: "{ state: frame.state }",
  },
  {
    ...POST,
    promise: "The beginning of a message that is sent again does not begin another message.",
    text: "open.size < CHANNEL_LIMITS.openMessages || open.has(id)",
    mistake: "open.size < CHANNEL_LIMITS.openMessages",
  },
  {
    file: "packages/store/src/channels/post.ts",
    test: "packages/store/src/channels/message-changes.test.ts",
    promise: "A write of a participant is fenced with its lease.",
    text: "const given = present({ lease: author.fence, also });",
    mistake: "const given = present({ also });",
  },
  {
    ...POST,
    promise: "A message of exactly the longest length is accepted.",
    text: "if (length <= CHANNEL_LIMITS.messageLength) return;",
    mistake: "if (length < CHANNEL_LIMITS.messageLength) return;",
  },
  {
    file: "packages/store/src/channels/replay.ts",
    test: "packages/store/src/channels/late-reader.test.ts",
    promise: "A late reader is sent the calls of its methods.",
    text: '"message_edited", "method_called"];',
    mistake: '"message_edited"];',
  },
  {
    file: "packages/store/src/channels/read-messages.ts",
    test: "packages/store/src/channels/message-changes.test.ts",
    promise: "An older window has the edits that came after it.",
    text: "const types = isDone() ? CHANGE_TYPES : MESSAGE_TYPES;\n",
    mistake: "if (isDone()) break;\n    const types = MESSAGE_TYPES;\n",
  },
  {
    file: "packages/store/src/channels/read-messages.ts",
    test: "packages/store/src/channels/late-reader.test.ts",
    promise: "A message in a window keeps what it replies to.",
    text: '...(typeof replyTo === "string" ? { replyTo } : {}),',
    mistake: "",
  },
];

export const CHANNEL_WAYS_SERVER: readonly PromiseOfRoom[] = [
  {
    ...ADMIT,
    promise: "A connection that only reads cannot write as a participant.",
    text: '  context.require(grant, { kind: "channel", name: channel, access: "write" });\n',
    mistake: "",
  },
  {
    ...ADMIT,
    promise: "A reader without a handle creates no channel.",
    text: "if (hello.handle !== undefined) await openForGrant(options, store);",
    mistake: "await openForGrant(options, store);",
  },
  {
    ...ADMIT,
    promise: "An agent has no devices.",
    text: "device !== undefined && participantType !== PERSON",
    mistake: 'device === "" && participantType !== PERSON',
  },
  {
    ...CONNECTION,
    promise: "The place of a connection in the quota is given back when it ends.",
    text: "    place[Symbol.dispose]();\n",
    mistake: "",
  },
  {
    ...CONNECTION,
    promise: "An invalid request is refused under its number.",
    text: "this.#refuse(refusal, requestIn(data.subarray(-64_000).toString()));",
    mistake: "this.#refuse(refusal, undefined);",
  },
  {
    file: "packages/server/src/server/channels/requests.ts",
    test: "test/server/channel-sockets.test.ts",
    promise: "Other connections of a person see what one changed of the session.",
    text: 'return type === "commit" || type === "sdk_session";',
    mistake: 'return type === "commit";',
  },
  {
    file: "packages/server/src/server/channels/requests.ts",
    test: "test/server/channel-events.test.ts",
    promise: "A participant refers only to blobs that are its own, over a socket.",
    text: "  if (blobs.length > 0) await participation.requireBlobs(frame.id, blobs);\n",
    mistake: "",
  },
  {
    ...ROUTES,
    promise: "A participant refers only to blobs that are its own, over HTTP.",
    text: "  await requireOwner(store, grant, { logId: channelLogId(channel), id: frame.id, blobs });\n",
    mistake: "",
  },
  {
    file: "packages/server/src/server/channels/requests.ts",
    test: "packages/server/src/server/channels/requests.test.ts",
    promise: "A person with several connections claims no input.",
    text: "      await assertOnlyConnection(participation);\n",
    mistake: "",
  },
  {
    ...ROUTES,
    promise: "A channel that is not there is not created by a change of a message.",
    text: "if ((await store.getLog(channelLogId(call.channel))) === null) {",
    mistake: 'if (call.channel === "") {',
  },
  {
    ...ROUTES,
    promise: "A token that reads a channel writes no message to it.",
    text: 'const store = storeFor({ ...asked(c.var.grant, channel), access: "write" });',
    mistake: "const store = storeFor(asked(c.var.grant, channel));",
  },
  {
    ...ROUTES,
    promise: "Only an administrator deletes the message of another one over HTTP.",
    text: 'const moderates = allows(grant.scopes, { kind: "admin" });',
    mistake: 'const moderates = allows(grant.scopes, { kind: "channel", name: channel, access: "write" });',
  },
  {
    file: "packages/server/src/server/channels/seats.ts",
    test: "packages/server/src/server/channels/seats.test.ts",
    promise: "A newer connection of the same handle keeps its seat when the older one ends.",
    text: "    if (this.#seats.get(key) !== seat) return;\n",
    mistake: "",
  },
];
