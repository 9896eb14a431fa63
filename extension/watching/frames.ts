/** A frame of a video as pictures and colours. */

import { LIMITS } from "../limits.ts";
import { type FrameItem, newItemId, type Picture } from "../sending/items.ts";
import { toBase64 } from "./base64.ts";
import { wholeMs } from "./captions.ts";
import { colourVector, scaled } from "./colours.ts";

/**
 * `forbidden` if the page may not read its own video, for example a video of another site; `null` while it shows
 * nothing.
 */
export async function captureFrame(video: HTMLVideoElement): Promise<FrameItem | "forbidden" | null> {
  const size = { width: video.videoWidth, height: video.videoHeight };
  if (video.readyState < HTMLMediaElement.HAVE_CURRENT_DATA || size.width === 0) return null;
  const mediaTimeMs = wholeMs(video.currentTime);
  try {
    const full = draw(video, scaled(size, LIMITS.framePixels));
    const small = draw(video, scaled(size, LIMITS.thumbnailPixels));
    const { data } = small.context.getImageData(0, 0, small.canvas.width, small.canvas.height);
    const [picture, thumbnail] = [await toPicture(full.canvas), await toPicture(small.canvas)];
    if (picture === null || thumbnail === null) return null;
    const id = newItemId();
    return { kind: "frame", id, mediaTimeMs, full: picture, thumbnail, colours: colourVector(data) };
  } catch (error) {
    if (error instanceof DOMException && error.name === "SecurityError") return "forbidden";
    throw error;
  }
}

function draw(
  video: HTMLVideoElement,
  { width, height }: { readonly width: number; readonly height: number },
): { readonly canvas: OffscreenCanvas; readonly context: OffscreenCanvasRenderingContext2D } {
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext("2d", { willReadFrequently: true });
  if (context === null) throw new Error("the browser has no canvas");
  context.drawImage(video, 0, 0, width, height);
  return { canvas, context };
}

async function toPicture(canvas: OffscreenCanvas): Promise<Picture | null> {
  const blob = await canvas.convertToBlob({ type: "image/jpeg", quality: LIMITS.pictureQuality });
  const data = toBase64(new Uint8Array(await blob.arrayBuffer()));
  return data.length > LIMITS.pictureChars ? null : { mediaType: "image/jpeg", data };
}
