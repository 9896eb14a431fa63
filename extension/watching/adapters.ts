/** Identifies the video of a page by an id that stays the same after reloads and other changes of the address. Pure. */

import { LIMITS } from "../limits.ts";

export interface Adapter {
  readonly name: "youtube" | "vimeo" | "file" | "html5";
  /** Returns `null` for a page of another platform, or for a page that has no video. */
  videoIdOf(page: URL, source: string): string | null;
  /** The element in which a platform draws its captions, if they are not text tracks. */
  readonly captions?: string;
}

/** Parameters that differ from visit to visit and do not identify the video. */
const NOISE =
  /^(utm_.*|fbclid|gclid|dclid|msclkid|igshid|si|feature|ref|ref_src|t|start|time_continue|autoplay|pp|ab_channel)$/iu;

const youtube: Adapter = {
  name: "youtube",
  captions: ".ytp-caption-segment",
  videoIdOf(page) {
    const host = page.hostname.replace(/^(www|m|music)\./u, "");
    const path = page.pathname.split("/").filter(Boolean);
    if (host === "youtu.be") return named("youtube", path[0]);
    if (host !== "youtube.com" && host !== "youtube-nocookie.com") return null;
    if (path[0] === "watch") return named("youtube", page.searchParams.get("v"));
    return ["shorts", "embed", "live"].includes(path[0] ?? "") ? named("youtube", path[1]) : null;
  },
};

const vimeo: Adapter = {
  name: "vimeo",
  captions: ".vp-captions-line",
  videoIdOf(page) {
    if (!/^(www\.|player\.)?vimeo\.com$/u.test(page.hostname)) return null;
    return named(
      "vimeo",
      page.pathname.split("/").find((part) => /^\d{5,}$/u.test(part)),
    );
  },
};

const file: Adapter = {
  name: "file",
  videoIdOf: (page) => (page.protocol === "file:" ? bounded(`file:${page.pathname}`) : null),
};

/** Uses the address of the video's file, or else of the page: only the page knows a stream that it feeds itself. */
const html5: Adapter = {
  name: "html5",
  videoIdOf(page, source) {
    if (page.protocol !== "http:" && page.protocol !== "https:") return null;
    const of = /^https?:/u.test(source) && URL.canParse(source) ? withoutQuery(source) : withoutNoise(page);
    return bounded(`html5:${of}`);
  },
};

const ADAPTERS: readonly Adapter[] = [youtube, vimeo, file, html5];

/** Returns the adapter and the id of the video; `null` for an address that is not a page of a video. */
export function recognise(
  pageUrl: string,
  source: string,
): { readonly adapter: Adapter; readonly videoId: string } | null {
  if (pageUrl.length > LIMITS.urlChars || !URL.canParse(pageUrl)) return null;
  const page = new URL(pageUrl);
  for (const adapter of ADAPTERS) {
    const videoId = adapter.videoIdOf(page, source);
    if (videoId !== null) return { adapter, videoId };
  }
  return null;
}

/** Returns the address of a page in the form in which it is compared after a restart of the browser. */
export function plainUrl(text: string): string {
  return URL.canParse(text) ? bounded(withoutNoise(new URL(text))) : "";
}

function withoutNoise(page: URL): string {
  const kept = [...page.searchParams].filter(([name]) => !NOISE.test(name)).sort();
  const query = new URLSearchParams(kept).toString();
  return `${page.protocol}//${page.host}${page.pathname}${query === "" ? "" : `?${query}`}`;
}

/** Leaves out the query, because queries of media files contain signatures and expiry times. */
function withoutQuery(source: string): string {
  const { origin, pathname } = new URL(source);
  return `${origin}${pathname}`;
}

function named(platform: string, id: string | null | undefined): string | null {
  return id !== null && id !== undefined && /^[\w-]{1,64}$/u.test(id) ? `${platform}:${id}` : null;
}

/** Shortens a long id: keeps its beginning, and adds a number that is computed from the whole id. */
function bounded(id: string): string {
  if (id.length <= LIMITS.idChars) return id;
  return `${id.slice(0, LIMITS.idChars - 14)}#${digest(id)}`;
}

/** Computes a hash of 53 bits from two hashes similar to FNV-1a. It distinguishes ids, but protects nothing. */
export function digest(text: string): string {
  let [high, low] = [0x811c9dc5, 0x1b873593];
  for (let at = 0; at < text.length; at++) {
    high = Math.imul(high ^ text.charCodeAt(at), 0x01000193);
    low = Math.imul(low ^ text.charCodeAt(at), 0x85ebca6b);
  }
  return ((high >>> 0) * 2 ** 21 + ((low >>> 0) >>> 11)).toString(36);
}
