/**
 * Every limit of the channel protocol and of the lists of messages that pages follow, in one place. Values above a
 * limit are refused with `too_large` or `invalid`.
 */

import { ContinuoError } from "../model/index.ts";

export const LIMITS = {
  /** UTF-16 units of an id that a client makes. */
  idLength: 400,
  /** UTF-16 units of the name of a channel, a handle, a device or a workspace. */
  nameLength: 128,
  tokenLength: 4_096,
  /** UTF-16 units of the name that people see. */
  displayNameLength: 64,
  typeLength: 16,
  capabilities: 16,
  /** UTF-16 units of all capabilities together. */
  capabilitiesLength: 200,
  /** Bytes of a frame, in either direction. */
  frameBytes: 4_194_304,
  /** UTF-16 units of a message, with all its deltas. */
  messageLength: 1_048_576,
  runIdLength: 512,
  /** UTF-16 units of the arguments of a call or of one result, as JSON. */
  callLength: 262_144,
  /** Handles that one message names. */
  addressees: 64,
  attachments: 16,
  /** Messages that one participant has in progress. */
  openMessages: 32,
  /** UTF-16 units of a reaction, and the reactions of one participant to one message. */
  reactionLength: 64,
  reactions: 20,
  /** Devices of a person in one channel. */
  devices: 32,
  heartbeatMs: 3_000,
  /** A participant that is silent for this time is gone. */
  silenceMs: 10_000,
  /** The time for which a handle stays reserved for its participant after the server saw the connection end. */
  reconnectMs: 2_000,
  /** The time from the opening of a socket to its `hello`. */
  helloMs: 10_000,
  historyItems: 1_000,
} as const;

export const CHAT_LIST_LIMITS = {
  /** The number of messages that a page loads if it names none, and the largest number that it loads and keeps. */
  messages: 100,
  mostMessages: 1_000,
} as const;

/** Checks the number of messages that a page loads first. Errors: `invalid`. */
export function assertListLimit(limit: number): void {
  const { mostMessages } = CHAT_LIST_LIMITS;
  if (Number.isInteger(limit) && limit >= 1 && limit <= mostMessages) return;
  throw new ContinuoError("invalid", `the limit is not a number from 1 to ${mostMessages}`);
}
