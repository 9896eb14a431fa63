/** Makes pictures and files acceptable to a model: with one that it refuses, the agent would fail in every turn. Pure. */

import { type FileBlock, type ImageBlock, parseDataUrl } from "@continuo/core/model";
import type { TargetRules } from "@continuo/native";

/** The block that replaces another one, and the reason; `null` if the target accepts no such block. */
export interface FittedBlock<T> {
  readonly block: T | null;
  readonly reason: string;
}

/** The beginning of the base64 of each type. */
const BEGINNINGS: readonly (readonly [string, string])[] = [
  ["iVBORw0KGgo", "image/png"],
  ["/9j/", "image/jpeg"],
  ["R0lGOD", "image/gif"],
  ["UklGR", "image/webp"],
];

export function fitImage(image: ImageBlock, { imageUrls, imageTypes }: TargetRules): FittedBlock<ImageBlock> {
  const { mimeType, data, url } = withData(image);
  if (data === undefined) {
    const isTaken = imageUrls && url !== undefined && /^https?:/iu.test(url);
    if (isTaken) return { block: { type: "image", mimeType, url }, reason: "" };
    return { block: null, reason: "the target accepts only images with data" };
  }
  if (data === "") return { block: null, reason: "an image without data" };
  const type = typeOf(mimeType, data);
  if (!imageTypes.includes(type))
    return { block: null, reason: "the target does not accept images of this type" };
  const reason = type === image.mimeType ? "" : "its media type made acceptable";
  return { block: { type: "image", mimeType: type, data }, reason };
}

function withData(image: ImageBlock): Pick<ImageBlock, "mimeType" | "data" | "url"> {
  const { data, url } = image;
  return (data === undefined && url !== undefined ? parseDataUrl(url) : null) ?? image;
}

function typeOf(mimeType: string, data: string): string {
  const type = mimeType.toLowerCase();
  if (type === "image/jpg") return "image/jpeg";
  if (type !== "" && type !== "image/*") return type;
  return BEGINNINGS.find(([beginning]) => data.startsWith(beginning))?.[1] ?? type;
}

/** A file that the target refuses becomes its text, if it has one. */
export function fitFile(
  file: FileBlock,
  { files, fileNames }: TargetRules,
): FittedBlock<FileBlock | { readonly type: "text"; readonly text: string }> {
  const { mimeType, data } = file;
  const [name, text] = [file.name?.toWellFormed(), file.text?.toWellFormed()];
  const called = name === undefined || !fileNames ? {} : { name };
  const isMended = name !== file.name || text !== file.text;
  if (text !== undefined && files === "documents") {
    const reason = isMended
      ? "halves of characters are replaced"
      : mimeType === "text/plain"
        ? ""
        : "as plain text";
    return { block: { type: "file", mimeType: "text/plain", ...called, text }, reason };
  }
  if (text !== undefined) {
    return {
      block: { type: "text", text: name === undefined ? text : `${name}:\n\n${text}` },
      reason: "only its text",
    };
  }
  if (data === "") return { block: null, reason: "a file without data" };
  const isTaken = files === "all" || (files === "documents" && mimeType === "application/pdf");
  if (!isTaken || data === undefined) return { block: null, reason: "the target does not accept such files" };
  const isNameless = name !== undefined && !fileNames;
  const reason = isNameless ? "without its name" : isMended ? "halves of characters are replaced" : "";
  return { block: { type: "file", mimeType, ...called, data }, reason };
}
