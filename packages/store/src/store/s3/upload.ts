/** Writes an object in one request, or in parts that become visible together. */

import { ContinuoError } from "@continuo/core/model";
import { LIMITS } from "../engine/index.ts";
import type { S3Answer, SendToS3 } from "./client.ts";
import { textIn } from "./failures.ts";
import type { Spool } from "./spool.ts";

const DID = "write to";
/** Nobody else writes under this name. So if the object exists, this code wrote it, and the answer was lost. */
const ONLY_NEW = { "if-none-match": "*" };
const BINARY = { "content-type": "application/octet-stream" };

export async function upload(send: SendToS3, object: string, bytes: Spool): Promise<void> {
  const { sizeBytes } = bytes;
  const written =
    sizeBytes <= LIMITS.s3PartBytes
      ? await putWhole(send, object, bytes)
      : await putInParts(send, object, bytes);
  if (written.status === 412 || sizeBytes > LIMITS.s3PartBytes) await assertThere(send, object, sizeBytes);
}

async function putWhole(send: SendToS3, object: string, bytes: Spool): Promise<S3Answer> {
  const checksum = Buffer.from(bytes.hash, "hex").toString("base64");
  return await send({
    method: "PUT",
    object,
    headers: { ...ONLY_NEW, ...BINARY, "x-amz-checksum-sha256": checksum },
    body: await bytes.part(0, bytes.sizeBytes),
    understood: [412],
    did: DID,
  });
}

async function putInParts(send: SendToS3, object: string, bytes: Spool): Promise<S3Answer> {
  const started = await send({ method: "POST", object, query: { uploads: "" }, headers: BINARY, did: DID });
  const uploadId = textIn(started.text, "UploadId");
  try {
    const etags = await sendParts(send, { object, uploadId, bytes });
    return await complete(send, { object, uploadId, etags });
  } catch (error) {
    await abandon(send, object, uploadId);
    throw error;
  }
}

interface Parts {
  readonly object: string;
  readonly uploadId: string;
  readonly bytes: Spool;
}

async function sendParts(send: SendToS3, { object, uploadId, bytes }: Parts): Promise<readonly string[]> {
  const size = Math.max(LIMITS.s3PartBytes, Math.ceil(bytes.sizeBytes / LIMITS.s3Parts));
  const etags: string[] = [];
  for (let at = 0; at < bytes.sizeBytes; at += size) {
    const { headers } = await send({
      method: "PUT",
      object,
      query: { partNumber: String(etags.length + 1), uploadId },
      body: await bytes.part(at, size),
      did: DID,
    });
    etags.push(headers.get("etag") ?? "");
  }
  return etags;
}

async function complete(
  send: SendToS3,
  {
    object,
    uploadId,
    etags,
  }: { readonly object: string; readonly uploadId: string; readonly etags: readonly string[] },
): Promise<S3Answer> {
  const parts = etags.map(
    (etag, n) => `<Part><PartNumber>${n + 1}</PartNumber><ETag>${escaped(etag)}</ETag></Part>`,
  );
  const text = `<CompleteMultipartUpload>${parts.join("")}</CompleteMultipartUpload>`;
  return await send({
    method: "POST",
    object,
    query: { uploadId },
    headers: { ...ONLY_NEW, "content-type": "application/xml" },
    body: new TextEncoder().encode(text),
    // If the upload no longer exists, it was completed, and its answer was lost.
    understood: [404, 412],
    did: DID,
  });
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}

/**
 * Ignores its own errors, because the error that ended the upload is reported. A rule of the bucket removes remaining
 * parts.
 */
async function abandon(send: SendToS3, object: string, uploadId: string): Promise<void> {
  await send({ method: "DELETE", object, query: { uploadId }, understood: [404], did: DID }).catch(
    () => undefined,
  );
}

/**
 * Ends the uploads of an object whose process ended, because the bucket keeps their parts and charges for them. If this
 * user may not list the uploads, a rule of the bucket must end them.
 */
export async function abandonUploads(send: SendToS3, object: string): Promise<void> {
  const { status, text } = await send({
    method: "GET",
    object: "",
    query: { uploads: "", prefix: object },
    understood: [400, 403, 404, 405, 501],
    did: "read from",
  });
  if (status !== 200) return;
  for (const [, uploadId = ""] of text.matchAll(/<UploadId>([^<]+)<\/UploadId>/gu)) {
    await abandon(send, object, uploadId);
  }
}

async function assertThere(send: SendToS3, object: string, sizeBytes: number): Promise<void> {
  const { status, headers } = await send({ method: "HEAD", object, understood: [404], did: "read from" });
  const found = status === 404 ? null : Number(headers.get("content-length"));
  if (found === sizeBytes) return;
  throw new ContinuoError("unavailable", "an object in S3 differs from what was written", {
    hint: "Store the bytes again.",
    details: { object, sizeBytes, found },
  });
}
