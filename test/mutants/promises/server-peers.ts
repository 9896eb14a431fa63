/** More promises of `packages/server/src/server/`: peers, limits, the page and the work of operators, each with a mistake that breaks it. */

import type { PromiseOfRoom } from "./promise.ts";

export const SERVER_PEERS: readonly PromiseOfRoom[] = [
  {
    promise: "The address that a proxy wrote counts, not the one that the client sent.",
    file: "packages/server/src/server/sockets/peers.ts",
    text: "(chain ?? []).findLast(",
    mistake: "(chain ?? []).find(",
    test: "packages/server/src/server/sockets/sockets.test.ts",
  },
  {
    promise: "A request that passed a proxy does not come from this machine.",
    file: "packages/server/src/server/sockets/peers.ts",
    text: "isLoopback: chain === null && isLoopbackAddress(sender)",
    mistake: "isLoopback: isLoopbackAddress(sender)",
    test: "packages/server/src/server/sockets/sockets.test.ts",
  },
  {
    promise: "A client that reads slowly keeps its connection.",
    file: "packages/server/src/server/sockets/unread-answers.ts",
    text: "progress.idleLooks = 0;",
    mistake: "progress.idleLooks += 1;",
    test: "packages/server/src/server/sockets/unread-answers.test.ts",
  },
  {
    promise: "A request without a secret is not a failed login.",
    file: "packages/server/src/server/security-log/record-refusals.ts",
    text: " && credentials.secret !== undefined) {",
    mistake: ") {",
    test: "test/server/security-log.test.ts",
  },
  {
    promise: "A token that is used again in the hour is not recorded again.",
    file: "packages/server/src/server/security-log/record-refusals.ts",
    text: "if (before !== undefined && now - before < LIMITS.acceptedMs) return false;",
    mistake: "",
    test: "packages/server/src/server/security-log/security-log.test.ts",
  },
  {
    promise: "A token on a page of one workspace is checked against that workspace's parent.",
    file: "packages/server/src/server/auth/authenticate.ts",
    text: "assertActive(store.forWorkspace(token.workspaceId), page)",
    mistake: "assertActive(store, page)",
    test: "packages/server/src/server/auth/authenticate.test.ts",
  },
  {
    promise: "A body that failed gives its room back.",
    file: "packages/server/src/server/auth/quotas.ts",
    text: "        this.#hold(name, -held);\n        held = 0;",
    mistake: "        held = 0;",
    test: "packages/server/src/server/auth/quotas.test.ts",
  },
  {
    promise: "A large request passes, and the next one waits.",
    file: "packages/server/src/server/auth/buckets.ts",
    text: "if (bucket.level >= 1) return bucket;",
    mistake: "if (bucket.level > -this.#burst) return bucket;",
    test: "packages/server/src/server/auth/buckets.test.ts",
  },
  {
    promise: "A browser does not install a page as an app whose address ends with the server.",
    file: "packages/server/src/server/page/files.ts",
    text: 'return isLasting ? marked : marked.replace(APP_LINKS, "");',
    mistake: "return marked;",
    test: "packages/server/src/server/page/files.test.ts",
  },
  {
    promise: "An address of a trusted proxy may have a port.",
    file: "packages/server/src/server/sockets/addresses.ts",
    text: "const [, dotted] = /^(\\d+\\.\\d+\\.\\d+\\.\\d+)(?::\\d+)?$/u",
    mistake: "const [, dotted] = /^(\\d+\\.\\d+\\.\\d+\\.\\d+)$/u",
    test: "packages/server/src/server/sockets/sockets.test.ts",
  },
  {
    promise: "The audit log is read only with the right of an administrator.",
    file: "packages/server/src/server/operation/audit.ts",
    text: '      context.require(grant, { kind: "admin" });\n',
    mistake: '      context.require(grant, { kind: "machine", access: "read" } as never);\n',
    test: "test/server/audit.test.ts",
  },
  {
    promise: "A released lease is removed after a day in every workspace.",
    file: "packages/server/src/server/cleaning/clean.ts",
    text: "total.leases += await removeLeases(own);",
    mistake: "total.leases += await removeLeases(store);",
    test: "packages/server/src/server/cleaning/clean.test.ts",
  },
];
