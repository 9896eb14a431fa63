/** Where the parts of a channel lie in the store. Names of channels and handles hold neither `:` nor `/`. */

import { channelLogId } from "../wire/index.ts";

export interface Place {
  readonly channel: string;
  readonly handle: string;
}

export { channelLogId };

/** The prefix of the leases of all participants in a channel. */
export const PRESENCE_PREFIX = "channel/";

export function rosterPrefix(channel: string): string {
  return `${PRESENCE_PREFIX}${channel}/`;
}

/** The holder of this lease is the participant: each of its writes is fenced with the lease's token. */
export function presenceLease({ channel, handle }: Place): string {
  return `${rosterPrefix(channel)}${handle}`;
}

/** `null` for a lease that belongs to no participant. */
export function placeOfLease(name: string): Place | null {
  const [, channel, handle] = /^channel\/([^/]+)\/([^/]+)$/u.exec(name) ?? [];
  return channel === undefined || handle === undefined ? null : { channel, handle };
}

/** The session of a participant: its status, its history and its runs. */
export function participantSession({ channel, handle }: Place): string {
  return `participant:${channel}:${handle}`;
}

/** Cursors of the channel's log. */
export function receivedCursor({ handle }: Place): string {
  return `received/${handle}`;
}

export function processedCursor({ handle }: Place): string {
  return `processed/${handle}`;
}
