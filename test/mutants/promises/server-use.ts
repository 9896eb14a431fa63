/** More promises of `packages/server/src/server/`: pages in use, limits, caches, and the connections of channels, each with a mistake that breaks it. */

import type { PromiseOfRoom } from "./promise.ts";

export const SERVER_USE: readonly PromiseOfRoom[] = [
  {
    promise: "A page whose connection ends is unused from that moment, not from the connection's beginning.",
    file: "packages/server/src/server/auth/page-use.ts",
    text: "          seen.connections--;\n          seen.usedAt = performance.now();",
    mistake: "          seen.connections--;",
    test: "packages/server/src/server/auth/page-use.test.ts",
  },
  {
    promise: "If a token has too many pages, those that were used last stay.",
    file: "packages/server/src/server/auth/page-use.ts",
    text: "Date.parse(b.expiresAt) - Date.parse(a.expiresAt)",
    mistake: "Date.parse(a.expiresAt) - Date.parse(b.expiresAt)",
    test: "packages/server/src/server/auth/page-use.test.ts",
  },
  {
    promise: "A page that was unused for too long stays ended, also when its lease is removed.",
    file: "packages/server/src/server/auth/page-use.ts",
    text: "  await store.revokeToken(page.tokenId);\n  throw",
    mistake: "  throw",
    test: "packages/server/src/server/auth/page-use.test.ts",
  },
  {
    promise: "A client that waits as long as the server says is accepted.",
    file: "packages/server/src/server/auth/buckets.ts",
    text: "Math.ceil(((1 - bucket.level) * 1000) / this.#perSecond) }",
    mistake: "Math.ceil((-bucket.level * 1000) / this.#perSecond) }",
    test: "packages/server/src/server/auth/buckets.test.ts",
  },
  {
    promise: "A young connection is not closed for a newer one.",
    file: "packages/server/src/server/sockets/strangers.ts",
    text: "    if (performance.now() - stranger.sinceMs < this.#limits.strangerGraceMs) return false;\n",
    mistake: "",
    test: "packages/server/src/server/sockets/sockets.test.ts",
  },
  {
    promise: "A stream that its client left before it read anything no longer counts for its token.",
    file: "packages/server/src/server/machine/event-stream.ts",
    text: "        connection[Symbol.dispose]();\n",
    mistake: "",
    test: "packages/server/src/server/machine/event-stream.test.ts",
  },
  {
    promise: "The sources of a joined stream end when its reader stops.",
    file: "packages/server/src/server/machine/event-stream.ts",
    text: "    for (const iterator of iterators) void iterator.return?.().catch(() => undefined);\n",
    mistake: "",
    test: "packages/server/src/server/machine/event-stream.test.ts",
  },
  {
    promise: "No token but a phone's can be revoked as a phone.",
    file: "packages/server/src/server/phones/phones.ts",
    text: "token === null || !isPhone(token)",
    mistake: "token === null",
    test: "test/cli/phone-door.test.ts",
  },
  {
    promise: "A link that was used is no longer listed as waiting.",
    file: "packages/server/src/server/phones/phones.ts",
    text: "code !== undefined && (await store.getClaim(usedCodeName(code))) === null",
    mistake: "code !== undefined",
    test: "test/cli/phone-door.test.ts",
  },
  {
    promise: "An attachment is cached only for the holder of the token that read it.",
    file: "packages/server/src/server/blobs/index.ts",
    text: '"private, max-age=31536000',
    mistake: '"public, max-age=31536000',
    test: "test/server/downloads.test.ts",
  },
  {
    promise: "Bytes with a NUL are never handed out as text.",
    file: "packages/server/src/server/blobs/media-type.ts",
    text: "head.includes(0) ? UNKNOWN_TYPE : said",
    mistake: "said",
    test: "packages/server/src/server/blobs/media-type.test.ts",
  },
  {
    promise:
      "A lease that was given back is remembered for a day, so that a holder that comes back is fenced.",
    file: "packages/server/src/server/cleaning/clean.ts",
    text: "endedForMs: RELEASED_KEPT_MS",
    mistake: "endedForMs: 0",
    test: "packages/server/src/server/cleaning/cleaner.test.ts",
  },
  {
    promise: "A minute in which the security log used up its lines takes none from the next one.",
    file: "packages/server/src/server/security-log/index.ts",
    text: "    counters.clear();\n    lines = 0;",
    mistake: "    counters.clear();",
    test: "packages/server/src/server/security-log/security-log.test.ts",
  },
  {
    promise: "A stream that was deleted and created again is not taken for the one that a client has.",
    file: "packages/server/src/server/streams/read.ts",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of the source.
    text: "-${sequence}-${chain}${atEnd",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of the source.
    mistake: "-${sequence}${atEnd",
    test: "test/server/streams.test.ts",
  },
  {
    promise: "A page of a stream that was read with a token is cached for the holder of the token only.",
    file: "packages/server/src/server/streams/read.ts",
    text: 'grant.tokenId === null ? "public" : "private"',
    mistake: '"public"',
    test: "test/server/caches.test.ts",
  },
  {
    promise: "Who asks for the roster during a look gets one that was looked at afterwards.",
    file: "packages/server/src/server/channels/hub.ts",
    text: "    await room.looking?.catch(() => undefined);\n",
    mistake: "",
    test: "packages/server/src/server/channels/hub.test.ts",
  },
  {
    promise: "A participant whose handle was taken during a long pause of its server loses it.",
    file: "packages/server/src/server/channels/seat.ts",
    text: '      if (wasOver && (await this.#hasRival()))\n        await this.lose(new ContinuoError("fenced", "the lease was over"));\n',
    mistake: "      void wasOver;\n",
    test: "packages/server/src/server/channels/seat.test.ts",
  },
  {
    promise:
      "Each reader is told after which event a frame comes, also when others have another one before it.",
    file: "packages/server/src/server/channels/outgoing-frames.ts",
    text: "if (known?.after === after) return known.bytes;",
    mistake: "if (known !== undefined) return known.bytes;",
    test: "packages/server/src/server/channels/outgoing-frames.test.ts",
  },
  {
    promise: "A client that prefers an answer as it is gets it uncompressed.",
    file: "packages/server/src/server/http/encoded-answer.ts",
    text: ' && of(best) >= (weights.get("identity") ?? 0) ? best',
    mistake: " ? best",
    test: "packages/server/src/server/http/encoded-answer.test.ts",
  },
  {
    promise: "A client that has an older page of a stream gets the newer one.",
    file: "packages/server/src/server/streams/read.ts",
    text: 'return given === "*" || given === etag;',
    mistake: 'return given !== "";',
    test: "test/server/streams.test.ts",
  },
  {
    promise: "No more phones are paired than the limit says.",
    file: "packages/server/src/server/phones/phones.ts",
    text: "(await list()).length >= LIMITS.phones",
    mistake: "(await list()).length > LIMITS.phones",
    test: "test/cli/phone-door.test.ts",
  },
  {
    promise: "The first use of a page that a server sees is written down.",
    file: "packages/server/src/server/auth/page-use.ts",
    text: "writtenAt: Number.NEGATIVE_INFINITY",
    mistake: "writtenAt: 0",
    test: "packages/server/src/server/auth/page-use.test.ts",
  },
];
