/** Addresses that play a video at a moment. Pure. */

/** `null` for a video whose address is not known. `ms` is a time of the video. */
export function momentUrl(videoId: string, ms: number): string | null {
  const seconds = Math.floor(ms / 1_000);
  const [, platform = "", id = ""] = /^(youtube|vimeo|file|html5):(.+)$/su.exec(videoId) ?? [];
  if (platform === "youtube")
    return `https://www.youtube.com/watch?v=${encodeURIComponent(id)}&t=${seconds}s`;
  if (platform === "vimeo") return `https://vimeo.com/${encodeURIComponent(id)}#t=${seconds}s`;
  return fragmentUrl(platform === "file" ? `file://${id}` : platform === "html5" ? id : videoId, seconds);
}

/** A media fragment, which file players understand. An id with a `#` was cut: its address is not complete. */
function fragmentUrl(address: string, seconds: number): string | null {
  if (!/^(?:https?|file):\/\//u.test(address) || address.includes("#") || !URL.canParse(address)) return null;
  const url = new URL(address);
  url.username = "";
  url.password = "";
  url.hash = `t=${seconds}`;
  // Parentheses would end a link of Markdown.
  return url.href.replaceAll("(", "%28").replaceAll(")", "%29");
}
