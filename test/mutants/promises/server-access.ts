/** More promises of `packages/server/src/server/`: the security log, live sessions and subscriptions, with mistakes. */

import type { PromiseOfRoom } from "./promise.ts";

const ROOM = "packages/server/src/server";
const LOG_TEST = `${ROOM}/security-log/security-log.test.ts`;
const LIVE = { file: `${ROOM}/live/routes.ts`, test: "test/live/access.test.ts" };

export const SERVER_ACCESS: readonly PromiseOfRoom[] = [
  {
    promise: "The token of a page is recorded once, when the page gets access.",
    file: `${ROOM}/security-log/audit-watch.ts`,
    text: '  if (typeof label === "string" && parsePageLabel(label) !== null) return;\n',
    mistake: "",
    test: LOG_TEST,
  },
  {
    promise: "What was recorded last is in the security log when the server ends.",
    file: `${ROOM}/security-log/audit-watch.ts`,
    text: "await looking.then(look);\n    },",
    mistake: "await looking;\n    },",
    test: LOG_TEST,
  },
  {
    promise: "An error is one line of the security log, however often it is passed on.",
    file: `${ROOM}/security-log/failures.ts`,
    text: " || recorded.has(error)) return;",
    mistake: ") return;",
    test: LOG_TEST,
  },
  {
    ...LIVE,
    promise: "A list names no removed session that the token may not read.",
    text: "const shown = removed.items.filter(({ key }) => mayRead(key));",
    mistake: "const shown = removed.items;",
  },
  {
    ...LIVE,
    promise: "A list names no session that the token may not read.",
    text: "const readable = (keys ?? [session.key]).filter(mayRead);",
    mistake: "const readable = keys ?? [session.key];",
  },
  {
    ...LIVE,
    promise: "A token that only reads asks no model again.",
    text: 'known === "model" ? "write" : "read"',
    mistake: '"read"',
  },
  {
    ...LIVE,
    promise: "A token for one session learns of no programs of the machine.",
    text: 'const { key, service } = await asked(c, "write");\n    mayOffer(context, c.var.grant);\n    return Response.json({ writers',
    mistake: 'const { key, service } = await asked(c, "write");\n    return Response.json({ writers',
  },
  {
    ...LIVE,
    promise: "Only an administrator deletes a video for good.",
    text: '    context.require(c.var.grant, { kind: "admin" });\n    const service',
    mistake: "    const service",
  },
  {
    ...LIVE,
    promise: "A token that may not read a session gets no notes of it by joining another one.",
    text: 'context.require(c.var.grant, { kind: "live", name: key, access: "read" });\n    const { key: other }',
    mistake: "const { key: other }",
  },
  {
    promise: "A person with two connections claims no input, which both would answer.",
    file: `${ROOM}/channels/requests.ts`,
    text: "      await assertOnlyConnection(participation);\n",
    mistake: "",
    test: `${ROOM}/channels/requests.test.ts`,
  },
  {
    promise: "A new subscription is not woken for records that its streams already have.",
    file: "packages/server/src/server/subscriptions/routes.ts",
    text: "    await acknowledgeAll(store, made);\n    if (await insert",
    mistake: "    if (await insert",
    test: "test/server/subscriptions.test.ts",
  },
  {
    promise: "A WebP has both of its marks.",
    file: "packages/server/src/server/blobs/media-type.ts",
    text: '        [0, "RIFF"],\n        [8, "WEBP"],\n',
    mistake: '        [0, "RIFF"],\n',
    test: "packages/server/src/server/blobs/media-type.test.ts",
  },
  {
    promise: "The length of a webhook's answer is that of all its parts.",
    file: "packages/server/src/server/subscriptions/webhook.ts",
    text: "size += chunk.length;",
    mistake: "size = chunk.length;",
    test: "packages/server/src/server/subscriptions/webhook.test.ts",
  },
  {
    promise: "A subscription that is sent again is the one that exists.",
    file: "packages/server/src/server/subscriptions/routes.ts",
    text: "JSON.stringify(a[key]) === JSON.stringify(b[key])",
    mistake: "a[key] === b[key]",
    test: "test/server/subscriptions.test.ts",
  },
  {
    promise: "A stream that is named twice keeps its waiting records.",
    file: "packages/server/src/server/subscriptions/routes.ts",
    text: "  const fresh = added.filter((path) => !isLinked(found.subscription, path));",
    mistake: "  const fresh = added;",
    test: "test/server/subscriptions.test.ts",
  },
  {
    promise: "A stream that the pattern links keeps its waiting records when it is named too.",
    file: "packages/server/src/server/subscriptions/routes.ts",
    text: "!isLinked(found.subscription, path)",
    mistake: "!found.subscription.explicit.includes(path)",
    test: "test/server/subscriptions.test.ts",
  },
  {
    promise: "A wake that is given back acknowledges nothing.",
    file: "packages/server/src/server/subscriptions/routes.ts",
    text: '    acks: action === "release" ? [] : acksOf(body.acks),',
    mistake: "    acks: acksOf(body.acks),",
    test: "test/server/subscriptions.test.ts",
  },
  {
    promise: "A subscription has one wake at a time, whichever server makes it.",
    file: "packages/server/src/server/subscriptions/wakes.ts",
    text: "    if (subscription.wake !== null) return null;\n    const next",
    mistake: "    const next",
    test: "packages/server/src/server/subscriptions/wakes.test.ts",
  },
  {
    promise: "A worker whose lease expired cannot acknowledge what another one has.",
    file: "packages/server/src/server/subscriptions/wakes.ts",
    text: "wake !== null && wake.holder === null ? subscription",
    mistake: "wake !== null ? subscription",
    test: "packages/server/src/server/subscriptions/wakes.test.ts",
  },
  {
    promise: "A late answer of a webhook ends no later wake.",
    file: "packages/server/src/server/subscriptions/deliveries.ts",
    text: "    if (subscription.wake === null || subscription.wake.id !== wake?.id) return null;",
    mistake: "    if (subscription.wake === null) return null;",
    test: "packages/server/src/server/subscriptions/deliveries.test.ts",
  },
  {
    promise: "Messages of a participant that lost its handle are not tried one by one.",
    file: "packages/server/src/server/channels/requests.ts",
    text: '!isRefused(error) || isContinuoError(error, "fenced")',
    mistake: "!isRefused(error)",
    test: "packages/server/src/server/channels/requests.test.ts",
  },
  {
    promise: "A message in progress belongs to the connection that began it.",
    file: "packages/server/src/server/channels/requests.ts",
    text: "message?.handle !== place.handle || message.writer !== instance",
    mistake: "message?.handle !== place.handle",
    test: "packages/server/src/server/channels/requests.test.ts",
  },
];
