/** Paths of a channel on the server, and its place in the page. */

export const CHANNELS = "/v1/channels";

export function channelPath(channel: string, rest = ""): string {
  return `${CHANNELS}/${encodeURIComponent(channel)}${rest}`;
}

export function channelLink(channel: string): string {
  return `#/channels/${encodeURIComponent(channel)}`;
}
