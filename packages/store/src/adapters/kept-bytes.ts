/** Bytes in a framework's own form, inside an event or, if there are many, as a blob that the event refers to. */

import type { Store } from "@continuo/core/model";
import { LIMITS } from "./limits.ts";

/** `type` is the name that the framework's serializer uses; JSON is stored as text, so that searches find it. */
export type KeptBytes =
  | { readonly type: string; readonly text: string }
  | { readonly type: string; readonly base64: string }
  | { readonly type: string; readonly blob: string };

export async function keepBytes(store: Store, type: string, bytes: Uint8Array): Promise<KeptBytes> {
  if (bytes.length > LIMITS.inlineBytes) {
    const { hash } = await store.putBlob(bytes, { mediaType: "application/octet-stream" });
    return { type, blob: hash };
  }
  if (type === "json") return { type, text: Buffer.from(bytes).toString("utf8") };
  return { type, base64: Buffer.from(bytes).toString("base64") };
}

export async function keptBytes(store: Store, kept: KeptBytes): Promise<Uint8Array> {
  if ("text" in kept) return Buffer.from(kept.text, "utf8");
  if ("base64" in kept) return Buffer.from(kept.base64, "base64");
  const { bytes } = await store.openBlob(kept.blob);
  return Buffer.concat(await Array.fromAsync(bytes));
}

/** The blob to which an event with these bytes must refer. */
export function blobOf(kept: KeptBytes): readonly string[] {
  return "blob" in kept ? [kept.blob] : [];
}
