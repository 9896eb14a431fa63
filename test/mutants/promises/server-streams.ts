/** More promises of `packages/server/src/server/`: streams and subscriptions, each with a mistake that breaks it. */

import type { PromiseOfRoom } from "./promise.ts";

export const SERVER_STREAMS: readonly PromiseOfRoom[] = [
  {
    file: "packages/server/src/server/streams/read.ts",
    test: "test/server/streams.test.ts",
    promise: "A page in the middle of a closed stream does not say that the stream is closed.",
    text: "const closed = atEnd && log.closedAt !== undefined;",
    mistake: "const closed = log.closedAt !== undefined;",
  },
  {
    file: "packages/server/src/server/streams/append.ts",
    test: "test/server/streams.test.ts",
    promise: "A producer that repeats an old write learns how far it got.",
    text: "...producerHeaders(producer, known?.sequence) },",
    mistake: "...producerHeaders(producer, undefined) },",
  },
  {
    file: "packages/server/src/server/subscriptions/deliveries.ts",
    test: "packages/server/src/server/subscriptions/deliveries.test.ts",
    promise: "After a delivery that succeeded, the retries count from zero.",
    text: "retries: 0,",
    mistake: "",
  },
  {
    file: "packages/server/src/server/subscriptions/wakes.ts",
    test: "packages/server/src/server/subscriptions/wakes.test.ts",
    promise: "An acknowledgement never moves a cursor back.",
    text: 'if (sequence < (link.acked ?? 0)) throw badOffset("an offset lies before what is acknowledged");',
    mistake: "",
  },
  {
    promise: "A webhook is not sent to a name of which one address is private.",
    file: "packages/server/src/server/subscriptions/webhook.ts",
    text: "const bad = found.find(({ address }) => isPrivateAddress(address));",
    mistake: "const bad = found.every(({ address }) => isPrivateAddress(address)) ? found[0] : undefined;",
    test: "packages/server/src/server/subscriptions/webhook.test.ts",
  },
  {
    promise: "The three headers of a producer belong together.",
    file: "packages/server/src/server/streams/headers.ts",
    text: "if (producerId === null || epoch === null || sequence === null) {",
    mistake: "if (producerId === null) {",
    test: "packages/server/src/server/streams/headers.test.ts",
  },
  {
    promise: "A fork requires the right to read its source.",
    file: "packages/server/src/server/streams/create.ts",
    text: 'if (fork !== undefined) requireAccess(context, grant, fork.source, "read");',
    mistake: "",
    test: "test/server/security.test.ts",
  },
  {
    promise: "A reader that took nothing for a while gets what it missed.",
    file: "packages/server/src/server/streams/batches.ts",
    text: 'if (reading.isClosed) return "behind";',
    mistake: 'if (reading.isClosed) return "ended";',
    test: "packages/server/src/server/streams/batches.test.ts",
  },
  {
    promise: "A callback token of a deleted subscription is not valid for a later one with the same id.",
    file: "packages/server/src/server/subscriptions/keys.ts",
    text: "const text = JSON.stringify([workspaceId, subscriptionId, createdAt, payload]);",
    mistake: "void createdAt;\n  const text = JSON.stringify([workspaceId, subscriptionId, payload]);",
    test: "test/server/callback-tokens.test.ts",
  },
  {
    promise: "A subscription is not woken by its own wake stream.",
    file: "packages/server/src/server/subscriptions/links.ts",
    text: "  if (path === config.wakeStream) return false;\n",
    mistake: "",
    test: "packages/server/src/server/subscriptions/links.test.ts",
  },
  {
    promise: "An event stream of an open log that is read to its end says that it is up to date.",
    file: "packages/server/src/server/streams/sse.ts",
    text: '...(state === "up to date" ? { upToDate: true as const } : {})',
    mistake: '...(state === "more" ? { upToDate: true as const } : {})',
    test: "packages/server/src/server/streams/sse.test.ts",
  },
  {
    promise: "The token of an earlier wake does not acknowledge the present one.",
    file: "packages/server/src/server/subscriptions/wakes.ts",
    text: "      given.tokenGeneration === generation &&\n",
    mistake: "",
    test: "packages/server/src/server/subscriptions/wakes.test.ts",
  },
  {
    promise: "An acknowledgement of a worker that goes on renews the lease of its wake.",
    file: "packages/server/src/server/subscriptions/wakes.ts",
    text: "wake: given.done ? null : { ...wake, leaseUntil } };",
    mistake: "wake: given.done ? null : wake };",
    test: "packages/server/src/server/subscriptions/wakes.test.ts",
  },
  {
    promise: "The media type of a stream is remembered for its workspace only.",
    file: "packages/server/src/server/streams/media-types.ts",
    text: "{workspaceId}\\n$",
    mistake: '{""}\\n$',
    test: "packages/server/src/server/streams/media-types.test.ts",
  },
];
