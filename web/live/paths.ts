/** Paths of a continuous session on the server, and its place in the page. */

export const LIVE = "/v1/live";

export function livePath(key: string, rest = ""): string {
  return `${LIVE}/${encodeURIComponent(key)}${rest}`;
}

/** @param at a place in the log; its end by default */
export function liveLink(key: string, at: number | null = null): string {
  return `#/live/${encodeURIComponent(key)}${at === null ? "" : `/at/${at}`}`;
}

/** `1:02:03` of a time in the medium. */
export function mediaTime(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  const parts = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60];
  const shown = parts[0] === 0 ? parts.slice(1) : parts;
  return shown.map((part, at) => (at === 0 ? String(part) : String(part).padStart(2, "0"))).join(":");
}
