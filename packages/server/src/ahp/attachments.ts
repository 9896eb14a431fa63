/** The attachments of a message, as the agent receives them and as the clients see them. Pure. */

import { present } from "@continuo/core/model";
import { recordOf } from "@continuo/core/wire";
import type { PromptPicture, PromptPictures } from "@continuo/core/wire/machine";
import { refused } from "./errors.ts";
import { LIMITS } from "./limits.ts";
import type { AhpMessage } from "./protocol.ts";
import { parseFileUri } from "./uris.ts";

export interface Prompt extends PromptPictures {
  readonly text: string;
}

/**
 * The words with the names of files, which an agent reads itself, and the pictures. Errors: for other attachments, for
 * pictures that are too large, and for a message of nothing.
 */
export function promptOf(message: AhpMessage): Prompt {
  const pictures = attachmentsOf(message).flatMap((one) => pictureOf(one) ?? []);
  const chars = pictures.reduce((sum, { data }) => sum + data.length, 0);
  if (chars > LIMITS.pictureChars)
    throw refused(
      `the pictures are too large: ${chars} characters, at most ${LIMITS.pictureChars} are taken`,
    );
  const named = attachmentsOf(message).flatMap((one) => (pictureOf(one) === null ? nameOf(one) : []));
  const text = [message.text, ...named].join("\n\n");
  if (!/\S/u.test(text) && pictures.length === 0) throw refused("the message has no words");
  return { text, ...present({ pictures: pictures.length === 0 ? undefined : pictures }) };
}

export function hasPictures(message: AhpMessage): boolean {
  return attachmentsOf(message).some((one) => pictureOf(one) !== null);
}

/**
 * The message with the name of each picture in place of its data: the state of a chat goes to every client, and has
 * many turns.
 */
export function withoutPictures(message: AhpMessage): AhpMessage {
  if (!hasPictures(message)) return message;
  return { ...message, attachments: attachmentsOf(message).map(withoutData) };
}

type Attachment = Readonly<Record<string, unknown>>;

function attachmentsOf({ attachments }: AhpMessage): readonly Attachment[] {
  return Array.isArray(attachments) ? attachments.map(recordOf) : [];
}

function pictureOf({ type, data, contentType }: Attachment): PromptPicture | null {
  const isPicture = type === "embeddedResource" && typeof data === "string" && data !== "";
  if (!isPicture || typeof contentType !== "string" || !contentType.startsWith("image/")) return null;
  return { mimeType: contentType, data };
}

function withoutData(one: Attachment): Attachment {
  const picture = pictureOf(one);
  if (picture === null) return one;
  const { data: _, contentType: __, ...rest } = one;
  return { ...rest, type: "simple", modelRepresentation: `[picture, ${picture.mimeType}]` };
}

function nameOf({ type, uri, modelRepresentation, label }: Attachment): string {
  if (type === "resource" && typeof uri === "string") return `Attached: ${parseFileUri(uri) ?? uri}`;
  if (type === "simple" && typeof modelRepresentation === "string") return modelRepresentation;
  throw refused(`Continuo cannot pass on the attachment ${JSON.stringify(label ?? type)}`);
}
