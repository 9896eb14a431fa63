/** Bytes of a framework's own form, inside of an event or, where they are many, as a blob that it refers to. */

import type { Store } from "@continuo/core/model";
import { LIMITS } from "./limits.ts";

/** `type` is the word of the framework's serializer; JSON is kept as its text, so that searches find it. */
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

/** An event with these bytes has to refer to them. */
export function blobOf(kept: KeptBytes): readonly string[] {
  return "blob" in kept ? [kept.blob] : [];
}
