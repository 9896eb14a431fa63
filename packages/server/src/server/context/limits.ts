/** Every limit of the server, in one place. */

import { CHANNEL_LIMITS } from "@continuo/core/wire";
import type { ServerLimits } from "./context.ts";

export const LIMITS = {
  /** Values and keys of one body or frame of JSON: what each costs before it is stored is many times its bytes. */
  jsonValues: 50_000,
  /** Levels of one body or frame of JSON. */
  jsonDepth: 1_000,
  /** Elements of an array that is sent: one transaction stores their records. */
  jsonElements: 1_000,
  /** Bytes of a request of JSON that configures something. */
  configBytes: 65_536,
  /** Bytes of bodies that one token sends at the same time. */
  bodyBytesAtOnce: 67_108_864,
  /** Bytes of answers that one token has not read, and how long another answer waits for room. */
  answerBytesAtOnce: 67_108_864,
  answerWaitMs: 10_000,
  /** What the smallest attachment counts as: a row, and perhaps a file. */
  blobBytesLeast: 4_096,
  /** Payload bytes of one page of a catch-up read. */
  pageBytes: 4_194_304,
  pageEvents: 10_000,
  /** Payload bytes of one data event of an SSE stream. */
  sseBytes: 262_144,
  sseEvents: 1_000,
  /** How long a long-poll waits. */
  longPollMs: 20_000,
  /**
   * How long the server waits for a reader of a channel, before it sends where to continue and then disconnects it; and
   * for a client that reads nothing of an answer.
   */
  stalledMs: 30_000,
  goodbyeMs: 2_000,
  /** How often an SSE stream without data sends a control event. */
  sseIdleMs: 15_000,
  /** When an SSE stream ends, so that the client reconnects, perhaps to another server. */
  sseMs: 60_000,
  /** How long a client may take to send its headers, and its whole request; how often the server looks for those. */
  headersMs: 10_000,
  requestMs: 300_000,
  lookForSlowMs: 1_000,
  /** Connections that have shown no token, of all clients and of one network; the oldest give way after this time. */
  strangers: 2_048,
  strangersOfNetwork: 512,
  strangerGraceMs: 1_000,
  /** Bytes that a WebSocket may send before its token was accepted. */
  strangerBytes: 65_536,
  /** Requests on one connection that are not answered yet. */
  pipelinedRequests: 32,
  /** How long a connection without a request stays open: longer than proxies in front of it keep theirs. */
  keepAliveMs: 75_000,
  /** How long running requests may take after the server began to close. */
  drainMs: 5_000,
  /** How long clients must wait before they reconnect to a server that closes. */
  retryMs: 1_000,
  /** Characters of a secret that is looked up. */
  secretLength: 512,
  /** How long a token is remembered without asking the store. */
  rememberMs: 1_000,
  rememberedTokens: 10_000,
  /** How often the tokens of open connections are looked up, how many at once, and how many connections end at once. */
  tokenLookMs: 400,
  tokensPerLook: 500,
  endedAtOnce: 50,
  /** How long connections stay open while the store does not say whether their tokens still count. */
  tokenUnseenMs: 10_000,
  /** How long such a connection may take to close. */
  lostMs: 400,
  /** How many wrong tokens one address may send. */
  guesses: 20,
  guessesPerSecond: 0.5,
  /** How long a page's code can be exchanged, and how long a page lives. */
  codeMs: 30_000,
  pageMs: 43_200_000,
  /** When a page ends that nothing uses, and how many pages one token may have. */
  pageIdleMs: 7_200_000,
  pagesOfToken: 100,
  /** How long a blob is kept if no event refers to it. */
  blobMs: 86_400_000,
} as const;

/** The limits if the operator sets none. */
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
  historyItems: CHANNEL_LIMITS.historyItems,
};
