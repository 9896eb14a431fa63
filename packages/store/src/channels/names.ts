/**
 * The names of the logs, leases and cursors of a channel. Names of channels and handles hold neither `:` nor
 * `/`.
 */

import { createHash } from "node:crypto";

import { channelLogId } from "@continuo/core/wire";

export interface ConnectionRef {
  readonly channel: string;
  readonly handle: string;
}

export { channelLogId };

/** The prefix of the leases of all participants in a channel. */
export const PRESENCE_PREFIX = "channel/";

/** The prefix of the leases that only record the processes of servers. */
export const PROCESS_PREFIX = "channel-process/";

export function rosterPrefix(channel: string): string {
  return `${PRESENCE_PREFIX}${channel}/`;
}

/** The lease of a handle that has one connection: each write of the participant is fenced with its token. */
export function presenceLease({ channel, handle }: ConnectionRef): string {
  return `${rosterPrefix(channel)}${handle}`;
}

/** The lease of one of several connections of a person. */
export function connectionLease(place: ConnectionRef, instance: string): string {
  return `${connectionPrefix(place)}${createHash("sha256").update(instance).digest("hex").slice(0, 32)}`;
}

export function connectionPrefix(place: ConnectionRef): string {
  return `${presenceLease(place)}/`;
}

/** The record of the process that serves the agent with this handle. */
export function processLease({ channel, handle }: ConnectionRef): string {
  return `${PROCESS_PREFIX}${channel}/${handle}`;
}

/** `null` for a lease that belongs to no participant. */
export function placeOfLease(name: string): ConnectionRef | null {
  const [, channel, handle] = /^channel\/([^/]+)\/([^/]+)(?:\/[0-9a-f]{32})?$/u.exec(name) ?? [];
  return channel === undefined || handle === undefined ? null : { channel, handle };
}

/** The session of a participant: its status, its history and its runs. */
export function participantSession({ channel, handle }: ConnectionRef): string {
  return `participant:${channel}:${handle}`;
}

/** Cursors of the channel's log. */
export function receivedCursor({ handle }: ConnectionRef, device?: string): string {
  return device === undefined ? `received/${handle}` : `received/${handle}/${device}`;
}

/** The forms of a handle in the payload of an event that addresses it: in `to` and `replyToHandle`, and in a text. */
export function textsNaming(handle: string): readonly string[] {
  const quoted = JSON.stringify(handle);
  return [quoted, `@${quoted.slice(1, -1)}`];
}

export function processedCursor({ handle }: ConnectionRef): string {
  return `processed/${handle}`;
}
