/** More promises of `packages/server/src/server/`: the security log, and access to continuous sessions, each with a mistake that breaks it. */

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
];
