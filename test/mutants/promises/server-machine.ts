/** More promises of `packages/server/src/server/`: the routes of the machine, phones and the extension, each with a mistake that breaks it. */

import type { PromiseOfRoom } from "./promise.ts";

export const SERVER_MACHINE: readonly PromiseOfRoom[] = [
  {
    promise: "A phone that may only read cannot answer.",
    file: "packages/server/src/server/phones/phones.ts",
    text: 'read: ["machine:read"],',
    mistake: 'read: ["machine:read,answer"],',
    test: "test/cli/phone-door.test.ts",
  },
  {
    promise: "The link of a phone ends after two minutes.",
    file: "packages/server/src/server/phones/phones.ts",
    text: "now + LIMITS.phoneCodeMs",
    mistake: "now + LIMITS.phoneMs",
    test: "test/cli/phone-door.test.ts",
  },
  {
    promise: "A phone that pairs another phone is refused.",
    file: "packages/server/src/server/phones/index.ts",
    text: '{ kind: "machine", access: "write" }',
    mistake: '{ kind: "machine", access: "read" }',
    test: "test/cli/phone-door.test.ts",
  },
  {
    promise: "A terminal is opened only for a request from this machine.",
    file: "packages/server/src/server/machine/action-routes.ts",
    text: "if (!c.var.grant.peer.isLoopback) throw fromElsewhere();",
    mistake: "",
    test: "test/machine/terminal.test.ts",
  },
  {
    promise: "A page on another machine is not offered a terminal.",
    file: "packages/server/src/server/machine/action-routes.ts",
    text: "return peer.isLoopback && allows(",
    mistake: "return allows(",
    test: "test/machine/terminal.test.ts",
  },
  {
    promise: "Each session of an export is in the audit log.",
    file: "packages/server/src/server/machine/action-routes.ts",
    text: 'for (const key of body.keys) await recordAct(c, context, "session_exported", key);',
    mistake: 'await recordAct(c, context, "session_exported", body.keys[0]);',
    test: "test/machine/actions.test.ts",
  },
  {
    promise: "A page has no session to mirror.",
    file: "packages/server/src/server/machine/mirror-socket.ts",
    text: 'machineFor(grant, "write")',
    mistake: 'machineFor(grant, "read")',
    test: "test/move/mirror-server.test.ts",
  },
  {
    promise: "A mirror whose token is revoked ends.",
    file: "packages/server/src/server/machine/mirror-socket.ts",
    text: "context.quotas.connect(grant, (error) => socket.close(1008, reasonOf(error)))",
    mistake: "context.quotas.connect(grant, () => undefined)",
    test: "test/move/mirror-server.test.ts",
  },
  {
    promise: "A reconnecting page gets what came after the last event that it has.",
    file: "packages/server/src/server/machine/session-routes.ts",
    text: 'c.req.header("last-event-id") ?? query.after',
    mistake: 'query.after ?? c.req.header("last-event-id")',
    test: "test/machine/history.test.ts",
  },
  {
    promise: "An extension that asks again replaces its earlier request.",
    file: "packages/server/src/server/extension/requests.ts",
    text: "if (origin === asked.origin) this.#requests.delete(id);",
    mistake: "if (origin !== asked.origin) this.#requests.delete(id);",
    test: "test/server/extension.test.ts",
  },
  {
    promise: "An image of a session is not kept by a shared cache.",
    file: "packages/server/src/server/machine/session-routes.ts",
    text: '"private, max-age=3600"',
    mistake: '"public, max-age=3600"',
    test: "test/machine/history.test.ts",
  },
  {
    promise: "A WebSocket of the machine counts as a request of its token.",
    file: "packages/server/src/server/machine/token-sockets.ts",
    text: "    context.quotas.request(grant);\n",
    mistake: "",
    test: "test/server/limits.test.ts",
  },
];
