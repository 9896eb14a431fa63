/** The attachments of a message, as the agent receives them and as the clients see them. Pure. */

import { attachedText, cutText, isBase64, present } from "@continuo/core/model";
import { recordOf } from "@continuo/core/wire";
import type { PromptPicture, PromptPictures } from "@continuo/core/wire/machine";
import { refused } from "./errors.ts";
import { LIMITS } from "./limits.ts";
import type { AhpMessage } from "./protocol.ts";

export interface Prompt extends PromptPictures {
  readonly text: string;
}

/**
 * The words with the names of files, which an agent reads itself, and the pictures. Errors: for other attachments, for
 * pictures and words that are too large, and for a message of nothing.
 */
export function promptOf(message: AhpMessage): Prompt {
  const attachments = attachmentsOf(message);
  const chars = attachments.reduce((sum, one) => sum + (isPicture(one) ? one.data.length : 0), 0);
  if (chars > LIMITS.pictureChars)
    throw refused(
      `the pictures are too large: ${chars} characters, at most ${LIMITS.pictureChars} are taken`,
    );
  const taken = attachments.map((one) => pictureOf(one) ?? nameOf(one));
  const pictures = taken.filter((one) => typeof one !== "string");
  const text = [message.text, ...taken.filter((one) => typeof one === "string")].join("\n\n");
  if (text.length > LIMITS.promptChars)
    throw refused(
      `the message is too long: ${text.length} characters, at most ${LIMITS.promptChars} are taken`,
    );
  if (!/\S/u.test(text) && pictures.length === 0) throw refused("the message has no words");
  return { text, ...present({ pictures: pictures.length === 0 ? undefined : pictures }) };
}

/**
 * The message with the name of each picture and file in place of its data: the state of a chat goes to every client,
 * and has many turns. Errors: for a message that is still too large.
 */
export function shownMessage(message: AhpMessage): AhpMessage {
  const shown = withoutData(message) as AhpMessage;
  if (JSON.stringify(shown).length > LIMITS.shownChars) throw refused("the message is too large");
  return shown;
}

/** An action as a client sent it, with the names of pictures and files in place of their data. */
export function withoutDataIn<Action extends { readonly type: string }>(action: Action): Action {
  const named = ["message", "draft"].flatMap((field): [string, unknown][] => {
    const given = recordOf(action)[field];
    return given === undefined ? [] : [[field, withoutData(given)]];
  });
  return { ...action, ...Object.fromEntries(named) };
}

function withoutData(message: unknown): unknown {
  const { attachments, ...rest } = recordOf(message);
  return Array.isArray(attachments) ? { ...rest, attachments: attachments.map(toNamed) } : message;
}

type Attachment = Readonly<Record<string, unknown>>;

function attachmentsOf({ attachments }: AhpMessage): readonly Attachment[] {
  return Array.isArray(attachments) ? attachments.map(recordOf) : [];
}

/** The name of a type in a prompt. A client may send any text. */
const MIME_TYPE = /^[\w.+-]{1,60}\/[\w.+-]{1,60}$/u;

interface Picture extends Attachment {
  readonly data: string;
  readonly contentType: string;
}

/** Its data may not be base64: they are checked after their size. */
function isPicture(one: Attachment): one is Picture {
  const { type, data, contentType } = one;
  if (type !== "embeddedResource" || typeof data !== "string" || typeof contentType !== "string")
    return false;
  return MIME_TYPE.test(contentType) && contentType.startsWith("image/");
}

function pictureOf(one: Attachment): PromptPicture | null {
  if (!isPicture(one) || one.data.length % 4 !== 0 || !isBase64(one.data)) return null;
  return { mimeType: one.contentType, data: one.data };
}

/** Only the data of an embedded resource are all that it has: others keep what names them. */
function toNamed(one: unknown): unknown {
  const { data, ...others } = recordOf(one);
  if (data === undefined) return one;
  if (others.type !== "embeddedResource") return others;
  const { contentType, ...rest } = others;
  const name =
    typeof contentType === "string" && MIME_TYPE.test(contentType) ? contentType : "of an unknown type";
  const kind = name.startsWith("image/") ? "picture," : "file";
  return { ...rest, type: "simple", modelRepresentation: `[${kind} ${name}]` };
}

function nameOf({ type, uri, modelRepresentation, label }: Attachment): string {
  if (type === "resource" && typeof uri === "string") return attachedText(uri);
  if (type === "simple" && typeof modelRepresentation === "string") return modelRepresentation;
  const name = cutText(JSON.stringify(label ?? type) ?? "without a type", MAX_NAME_CHARS);
  throw refused(`Continuo cannot pass on the attachment ${name}`);
}

const MAX_NAME_CHARS = 100;
