/** More promises of `packages/server/src/server/`: tokens, quotas, blobs, streams and pages, each with a mistake that breaks it. */

import type { PromiseOfRoom } from "./promise.ts";

const AUTHENTICATE = {
  file: "packages/server/src/server/auth/authenticate.ts",
  test: "packages/server/src/server/auth/authenticate.test.ts",
};
const QUOTAS = { file: "packages/server/src/server/auth/quotas.ts", test: "test/server/limits.test.ts" };
const TOKEN_WATCH = {
  file: "packages/server/src/server/auth/token-watch.ts",
  test: "packages/server/src/server/auth/token-watch.test.ts",
};
const OWNERS = {
  file: "packages/server/src/server/blobs/owners.ts",
  test: "packages/server/src/server/blobs/owners.test.ts",
};

export const SERVER_TOKENS_SERVER: readonly PromiseOfRoom[] = [
  {
    file: "packages/server/src/server/context/limits.ts",
    test: "test/server/extension.test.ts",
    promise: "The token of an extension expires after ninety days.",
    text: "extensionTokenMs: 7_776_000_000,",
    mistake: "extensionTokenMs: 77_760_000_000,",
  },
  {
    ...AUTHENTICATE,
    promise: "A page ends with the token that opened it.",
    text: 'if (parent?.state === "active") return;',
    mistake: "if (parent !== null) return;",
  },
  {
    ...AUTHENTICATE,
    promise: "A token of the machine that was issued over the network does not reach the machine.",
    text: 'return scope.kind === "machine" && issuedFrom !== "loopback" ? [] : [scope];',
    mistake: "return [scope];",
  },
  {
    ...QUOTAS,
    file: "packages/server/src/server/auth/limited-tokens.ts",
    promise: "Bytes of a day do not count for a token that administers.",
    text: 'return grant.tokenId !== null && !allows(grant.scopes, { kind: "admin" });',
    mistake: "return grant.tokenId !== null;",
  },
  {
    ...QUOTAS,
    promise: "A stream that is there already does not count for the day.",
    text: "if (made.created) rates.logs.spend",
    mistake: "if (made !== null) rates.logs.spend",
  },
  {
    ...QUOTAS,
    promise: "A stream that is there already can be confirmed after the quota of the day.",
    text: "if (!(await exists())) throw error;",
    mistake: "throw error;",
  },
  {
    file: "packages/server/src/server/auth/connections.ts",
    test: "test/server/limits.test.ts",
    promise: "A second connection in a channel does not count as a second channel.",
    text: "channel !== undefined && inChannel === 0 && use.channels.size >= limits.channels",
    mistake: "channel !== undefined && use.channels.size >= limits.channels",
  },
  {
    file: "packages/server/src/server/auth/credentials.ts",
    test: "packages/server/src/server/auth/credentials.test.ts",
    promise: "A cookie changes nothing without the origin of its page.",
    text: 'if (method !== "GET" && method !== "HEAD" && headers.get("origin") === null) {',
    mistake: 'if (method === "" && headers.get("origin") === null) {',
  },
  {
    ...TOKEN_WATCH,
    promise: "A connection is ended when the token of its page is revoked.",
    text: "[tokenId, page?.parentId ?? null]",
    mistake: "[tokenId]",
  },
  {
    ...TOKEN_WATCH,
    promise: "Tokens of each workspace are looked up in it.",
    text: "await tokens(workspaceId).listTokens(",
    mistake: "await tokens([...watchers][0]?.workspaceId ?? workspaceId).listTokens(",
  },
  {
    file: "packages/server/src/server/blobs/index.ts",
    test: "test/server/security.test.ts",
    promise: "The log of the event of a blob may be read by the token.",
    text: '  context.require(grant, { kind, name, access: "read" });\n',
    mistake: "",
  },
  {
    ...OWNERS,
    promise: "A token may use only its own blobs in an event.",
    text: "    if (await owns(store, grant, hash)) continue;",
    mistake: "    if (await owns(store, grant, hash)) return;",
  },
  {
    ...OWNERS,
    promise: "A page refers to the blobs of its token.",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of the source.
    text: "return `token/${page?.parentId ?? tokenId}`;",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of the source.
    mistake: "return `token/${tokenId}`;",
  },
  {
    file: "packages/server/src/server/streams/append.ts",
    test: "test/server/streams.test.ts",
    promise: "An append of a repeated batch answers with the place that it reached.",
    text: "if (last === undefined) return repeated(call, producer);",
    mistake: "if (last === undefined) return new Response(null, { status: 204 });",
  },
  {
    file: "packages/server/src/server/streams/read.ts",
    test: "test/server/caches.test.ts",
    promise: "A page that needs a token is cached only for its holder.",
    text: 'const who = grant.tokenId === null ? "public" : "private";',
    mistake: 'const who = "public";',
  },
  {
    file: "packages/server/src/server/streams/read.ts",
    test: "test/server/streams.test.ts",
    promise: "A reader who has the end of a stream learns that it was closed since.",
    text: 'closed ? "-c" : ""',
    mistake: '"" && closed',
  },
  {
    file: "packages/server/src/server/machine/chat-routes.ts",
    test: "test/machine/chat.test.ts",
    promise: "A page that may change sessions may also answer later questions.",
    text: 'const lasting = (await mayChange(c, asked)) ? "allowed" : "refused";',
    mistake: 'const lasting = "refused" as const;',
  },
];
