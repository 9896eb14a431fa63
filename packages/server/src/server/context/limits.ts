/** Every limit of the server, in one place. */

import { CHANNEL_LIMITS } from "@continuo/core/wire";
import type { PageDevice, ServerLimits } from "./context.ts";

export const LIMITS = {
  /** Values and keys of one body or frame of JSON: in memory, each uses many times its bytes before it is stored. */
  jsonValues: 50_000,
  /** Levels of one body or frame of JSON. */
  jsonDepth: 1_000,
  /** Elements of an array that is sent: one transaction stores their records. */
  jsonElements: 1_000,
  /** Bytes of a request of JSON that configures something. */
  configBytes: 65_536,
  /** Bytes of bodies that one token sends at the same time. */
  bodyBytesAtOnce: 67_108_864,
  /** Bytes of answers that one token has not read, and the longest wait of another answer for room. */
  answerBytesAtOnce: 67_108_864,
  answerWaitMs: 10_000,
  /** The smallest size that an attachment counts as, because each needs a row, and perhaps a file. */
  blobBytesLeast: 4_096,
  /** Payload bytes of one page of a catch-up read. */
  pageBytes: 4_194_304,
  pageEvents: 10_000,
  /** Payload bytes of one data event of an SSE stream. */
  sseBytes: 262_144,
  sseEvents: 1_000,
  /** The longest wait of a long-poll. */
  longPollMs: 20_000,
  /**
   * The server waits this long for a slow reader of a channel; it then sends the place at which to continue, and
   * disconnects the reader. It waits as long for a client that reads nothing of an answer.
   */
  stalledMs: 30_000,
  goodbyeMs: 2_000,
  /** If a reader of an SSE stream reads nothing for this time, only the data that is being sent stays in memory. */
  slowMs: 1_000,
  /** The interval at which an SSE stream without data sends a control event. */
  sseIdleMs: 15_000,
  /** The time after which an SSE stream ends, so that the client reconnects, perhaps to another server. */
  sseMs: 60_000,
  /**
   * The time in which a client must send its headers, and its whole request; the interval at which the server
   * looks for late ones.
   */
  headersMs: 10_000,
  requestMs: 300_000,
  lookForSlowMs: 1_000,
  /**
   * The number of connections without a token, of all clients and of one network, and the age that protects such a
   * connection. If there are too many, the oldest one is closed; if it is younger than this age, the new one is closed.
   */
  strangers: 2_048,
  strangersOfNetwork: 512,
  strangerGraceMs: 1_000,
  /** Bytes that a WebSocket may send before its token is accepted. */
  strangerBytes: 65_536,
  /** Requests on one connection that are not answered yet. */
  pipelinedRequests: 32,
  /** A connection without a request stays open this long: longer than proxies in front of it keep theirs. */
  keepAliveMs: 75_000,
  /** Running requests may take this long after the server began to close. */
  drainMs: 5_000,
  /** Clients must wait this long before they reconnect to a server that closes. */
  retryMs: 1_000,
  /** Characters of a secret that is looked up. */
  secretLength: 512,
  /** A token is remembered for this time without asking the store. */
  rememberMs: 1_000,
  rememberedTokens: 10_000,
  /**
   * The interval at which the tokens of open connections are looked up, the number of tokens in one look-up, and the
   * number of connections that are ended together.
   */
  tokenLookMs: 400,
  tokensPerLook: 500,
  endedAtOnce: 50,
  /**
   * The program that authorized a person is asked about each open connection of the person again after this time, and
   * about so many connections together.
   */
  askAgainMs: 5_000,
  askedTogether: 1_000,
  /** Connections stay open for this time while the store does not say if their tokens are still valid. */
  tokenUnseenMs: 10_000,
  /** Such a connection may take this long to close. */
  lostMs: 400,
  /** The number of wrong tokens that one network may send at once, and the number of further ones per second. */
  guesses: 20,
  guessesPerSecond: 0.5,
  /** The time in which a page's code can be exchanged, and the lifetime of a page. */
  codeMs: 30_000,
  pageMs: 43_200_000,
  /** The time after which an unused page ends, and the number of pages that one token may have. */
  pageIdleMs: 7_200_000,
  pagesOfToken: 100,
  /**
   * The link that pairs a phone can be opened for this time: long enough to unlock the phone and point it at the code.
   * A phone stays paired for `phoneMs`, whether it is used or not. At most `phones` phones can be paired.
   */
  phoneCodeMs: 120_000,
  phoneMs: 604_800_000,
  phones: 20,
  /**
   * The time in which a person must answer an extension, the number of extensions that may ask at the same time, and
   * the lifetime of the token.
   */
  extensionRequestMs: 300_000,
  extensionRequests: 16,
  extensionTokenMs: 7_776_000_000,
  /** A blob is kept for this time if no event refers to it. */
  blobMs: 86_400_000,
} as const;

/** The longest lifetime of a page, and the longest time without use. */
export const PAGE_LIVES: Readonly<Record<PageDevice, { readonly lifeMs: number; readonly idleMs: number }>> =
  {
    computer: { lifeMs: LIMITS.pageMs, idleMs: LIMITS.pageIdleMs },
    phone: { lifeMs: LIMITS.phoneMs, idleMs: LIMITS.phoneMs },
  };

export const DEFAULT_LIMITS: ServerLimits = {
  requestsPerSecond: 2_000,
  connections: 20_000,
  channels: 1_000,
  requestBytes: 4_194_304,
  frameBytes: CHANNEL_LIMITS.frameBytes,
  blobBytes: 268_435_456,
  bytesPerSecond: 16_777_216,
  bytesPerDay: 4_294_967_296,
  blobBytesPerDay: 268_435_456,
  logsPerDay: 1_000,
  openMessages: 200,
  sessionStreams: 500,
  historyItems: CHANNEL_LIMITS.historyItems,
};
