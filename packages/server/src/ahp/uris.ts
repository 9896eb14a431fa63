/**
 * The names of sessions and chats. The scheme of a session is its agent: VS Code reads the agent from it, and shows
 * nothing of a session whose scheme is not an agent of the root.
 */

import { Buffer } from "node:buffer";
import { ContinuoError } from "@continuo/core/model";
import type { EditSide } from "./protocol.ts";

const CHAT = "ahp-chat://default/";
const SESSION = /^([a-z][a-z0-9+.-]{0,63}):\/([^/?#]{1,3000})$/u;

/** @param key the key of a session of the machine, `AGENT:ID` */
export function toSessionUri(key: string): string {
  const at = key.indexOf(":");
  return sessionUri(key.slice(0, at), key.slice(at + 1));
}

function sessionUri(provider: string, id: string): string {
  const encoded = encodeURIComponent(id).replace(
    /[!'()*]/gu,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${provider}:/${encoded}`;
}

export interface SessionName {
  /** The name as the host writes it, because clients encode names in different ways. */
  readonly uri: string;
  readonly provider: string;
  readonly key: string;
}

/** `null` for a name that does not belong to a session. */
export function parseSessionUri(uri: string): SessionName | null {
  const [, provider, encoded] = SESSION.exec(uri) ?? [];
  if (provider === undefined || encoded === undefined) return null;
  try {
    const id = decodeURIComponent(encoded);
    return { uri: sessionUri(provider, id), provider, key: `${provider}:${id}` };
  } catch {
    return null;
  }
}

/** The one chat of a session. */
export function toChatUri(session: string): string {
  return `${CHAT}${Buffer.from(session).toString("base64url")}`;
}

/** The session of a chat; `null` for a name that does not belong to a chat. */
export function parseChatUri(uri: string): SessionName | null {
  if (!uri.startsWith(CHAT)) return null;
  return parseSessionUri(Buffer.from(uri.slice(CHAT.length), "base64url").toString());
}

/** A text that a call removed from a file or wrote into it. */
export interface EditName {
  readonly session: string;
  /** The part of the call. */
  readonly part: string;
  /** The index of the file among those of the call. */
  readonly at: number;
  readonly side: EditSide;
}

const EDIT = /^continuo-edit:\/([^/?#]{1,4000})\/([^/?#]{1,1000})\/(\d{1,4})\/(before|after)$/u;

export function toEditUri({ session, part, at, side }: EditName): string {
  const name = Buffer.from(session).toString("base64url");
  return `continuo-edit:/${name}/${Buffer.from(part).toString("base64url")}/${at}/${side}`;
}

/** `null` for a name that does not belong to such a text. */
export function parseEditUri(uri: string): EditName | null {
  const [, session, part, at, side] = EDIT.exec(uri) ?? [];
  if (session === undefined || part === undefined) return null;
  const textOf = (encoded: string): string => Buffer.from(encoded, "base64url").toString();
  return { session: textOf(session), part: textOf(part), at: Number(at), side: side as EditSide };
}

export function toFileUri(folder: string): string {
  return `file://${folder.split("/").map(encodeURIComponent).join("/")}`;
}

/** `null` for a folder of another machine, and for a name that no folder can have. */
export function parseFileUri(uri: string): string | null {
  if (!uri.startsWith("file:///")) return null;
  try {
    const path = decodeURIComponent(uri.slice("file://".length));
    return path.includes("\0") ? null : path;
  } catch {
    return null;
  }
}

/** Errors: `invalidParams` for a folder of another machine. */
export function folderOf(directories: unknown): string | null {
  const [first] = Array.isArray(directories) ? directories : [];
  if (first === undefined) return null;
  const folder = typeof first === "string" ? parseFileUri(first) : null;
  if (folder === null) throw new ContinuoError("invalid", "the working directory is not on this machine");
  return folder;
}
