/** Images of messages. */

import { type ImageBlock, isBase64 } from "../../model/index.ts";
import { escapeVisible } from "./escape.ts";

/**
 * `inline`: only images whose bytes are in the message. `served`: also images that a server of Continuo sends; their
 * path is in `data-served`, and the page fetches it.
 */
export type ImageSource = "inline" | "served";

/** Formats that cannot run code in a browser; SVG is not among them. */
const SHOWN_IMAGES = new Set([
  "image/png",
  "image/jpeg",
  "image/gif",
  "image/webp",
  "image/avif",
  "image/bmp",
]);
/** The paths that `packages/core/src/wire/machine` makes. */
const SERVED = /^\/v1\/machine\/[\w.~%!'()*/-]+\?path=[\w%+.-]+(?:&branch=[\w%+.*-]+)?$/u;

/** Empty if the bytes of the image are missing, or if images of its type are not shown. */
export function imageToHtml(block: ImageBlock, source: ImageSource = "inline"): string {
  if (!SHOWN_IMAGES.has(block.mimeType)) return "";
  if (source === "served" && block.url !== undefined && SERVED.test(block.url)) {
    return `<img alt="image" data-served="${escapeVisible(block.url)}">`;
  }
  const data = block.data?.replace(/\s/gu, "") ?? "";
  return isBase64(data) ? `<img alt="image" src="data:${block.mimeType};base64,${data}">` : "";
}

/** True if the image is shown when it can be served. */
export function isDisplayable(block: ImageBlock): boolean {
  return imageToHtml(block, "served") !== "";
}
