/**
 * A small service that implements S3: it checks signatures, hashes and conditions as Amazon's does, and fails in the
 * ways that tests request.
 */

import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

export const BUCKET = "continuo-test";
export const CREDENTIALS = {
  AWS_ACCESS_KEY_ID: "AKIATEST0000EXAMPLE0",
  AWS_SECRET_ACCESS_KEY: "a secret/with+signs and blanks=",
} as const;
export const REGION = "eu-test-1";

/** A failure of one request. */
export type Fault =
  /** The answer is 503, and the request has no effect. */
  | "busy"
  /** The request takes effect, and the connection breaks before the answer. */
  | "lost"
  /** The connection breaks after half of the body. */
  | "torn"
  /** The body comes in small pieces, with pauses. */
  | "slow"
  /** The answer is 404, as from another replica that does not have the object yet. */
  | "stale"
  /** The answer is 200 with an error in its body, as for an upload that cannot be completed. */
  | "late error";

export interface S3Request {
  readonly method: string;
  readonly object: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage["headers"];
}

export interface S3Server extends AsyncDisposable {
  readonly endpoint: string;
  readonly objects: Map<string, Buffer>;
  /** The parts of uploads that are not complete, by their ids. */
  readonly uploads: Map<string, Map<number, Buffer>>;
  /** The objects of all uploads, by the same ids. */
  readonly uploadsOf: Map<string, string>;
  readonly requests: S3Request[];
  /** Every request that was allowed to overwrite an existing object. */
  readonly overwritten: string[];
  fault: (request: S3Request) => Fault | undefined;
  /** The service waits for this before it executes a request. */
  hold: (request: S3Request) => Promise<void>;
  /** The clock of the service. */
  now: () => number;
}

class S3Error extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer | string;
}

export async function startS3(): Promise<S3Server> {
  const server = createServer((request, response) => {
    answer(s3, request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const s3: S3Server = {
    endpoint: `http://127.0.0.1:${port}`,
    objects: new Map(),
    uploads: new Map(),
    uploadsOf: new Map(),
    requests: [],
    overwritten: [],
    fault: () => undefined,
    hold: () => Promise.resolve(),
    now: Date.now,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
  return s3;
}

async function answer(s3: S3Server, message: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(message.url ?? "/", s3.endpoint);
  const [, bucket = "", ...path] = url.pathname.split("/");
  const request: S3Request = {
    method: message.method ?? "GET",
    object: path.join("/"),
    query: url.searchParams,
    headers: message.headers,
  };
  s3.requests.push(request);
  const parts: Buffer[] = [];
  for await (const part of message) parts.push(part as Buffer);
  const body = Buffer.concat(parts);
  await s3.hold(request);
  const fault = s3.fault(request);
  let result: Answer;
  try {
    assertSigned(s3, { ...request, path: url.pathname, body });
    if (bucket !== BUCKET) throw new S3Error(404, "NoSuchBucket", "The specified bucket does not exist");
    if (fault === "busy") throw new S3Error(503, "SlowDown", "Please reduce your request rate.");
    if (fault === "stale") throw new S3Error(404, "NoSuchKey", "The specified key does not exist.");
    if (fault === "late error") result = { status: 200, body: errorBody("InternalError", "try again") };
    else result = perform(s3, request, body);
  } catch (error) {
    if (!(error instanceof S3Error)) throw error;
    result = { status: error.status, body: errorBody(error.code, error.message) };
  }
  if (fault === "lost") return void message.socket.destroy();
  await send(result, { response, fault, isHead: request.method === "HEAD" });
}

function errorBody(code: string, message: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${message}</Message></Error>`;
}

async function send(
  { status, headers, body = "" }: Answer,
  {
    response,
    fault,
    isHead,
  }: { readonly response: ServerResponse; readonly fault: Fault | undefined; readonly isHead: boolean },
): Promise<void> {
  const bytes = Buffer.from(body);
  // Objects are sent without compression.
  response.writeHead(status, { "content-length": String(bytes.length), ...headers });
  if (isHead || status >= 300) return void response.end(isHead ? undefined : bytes);
  if (fault === "torn") {
    response.write(bytes.subarray(0, Math.ceil(bytes.length / 2)));
    await sleep(5);
    return void response.destroy();
  }
  if (fault === "slow") {
    const size = Math.ceil(bytes.length / 8);
    for (let at = 0; at < bytes.length; at += size) {
      response.write(bytes.subarray(at, at + size));
      await sleep(3);
    }
    return void response.end();
  }
  response.end(bytes);
}

function perform(s3: S3Server, { method, object, query, headers }: S3Request, body: Buffer): Answer {
  const uploadId = query.get("uploadId");
  if (method === "POST" && query.has("uploads")) {
    const id = createHash("md5").update(`${object} ${s3.requests.length}`).digest("hex");
    s3.uploads.set(id, new Map());
    s3.uploadsOf.set(id, object);
    return { status: 200, body: `<R><Bucket>${BUCKET}</Bucket><UploadId>${id}</UploadId></R>` };
  }
  if (method === "GET" && query.has("uploads")) return listUploads(s3, query.get("prefix") ?? "");
  if (uploadId !== null) return performUpload(s3, { method, object, query, headers, uploadId, body });
  if (method === "PUT") return put(s3, { object, headers, body });
  if (method === "DELETE") {
    s3.objects.delete(object);
    return { status: 204 };
  }
  const found = s3.objects.get(object);
  if (found === undefined) throw new S3Error(404, "NoSuchKey", "The specified key does not exist.");
  if (method === "HEAD") return { status: 200, headers: { "content-length": String(found.length) } };
  const from = /^bytes=(\d+)-$/u.exec(headers.range ?? "")?.[1];
  if (from === undefined) return { status: 200, body: found };
  if (Number(from) >= found.length) throw new S3Error(416, "InvalidRange", "not satisfiable");
  const range = `bytes ${from}-${found.length - 1}/${found.length}`;
  return { status: 206, body: found.subarray(Number(from)), headers: { "content-range": range } };
}

function listUploads(s3: S3Server, prefix: string): Answer {
  const listed = [...s3.uploads.keys()].flatMap((id) => {
    const object = s3.uploadsOf.get(id) ?? "";
    return object.startsWith(prefix)
      ? [`<Upload><Key>${object}</Key><UploadId>${id}</UploadId></Upload>`]
      : [];
  });
  return { status: 200, body: `<ListMultipartUploadsResult>${listed.join("")}</ListMultipartUploadsResult>` };
}

interface Written {
  readonly object: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: Buffer;
}

function put(s3: S3Server, { object, headers, body }: Written): Answer {
  const checksum = headers["x-amz-checksum-sha256"];
  if (checksum !== undefined && checksum !== createHash("sha256").update(body).digest("base64")) {
    throw new S3Error(400, "BadDigest", "The SHA256 you specified did not match the calculated checksum.");
  }
  if (s3.objects.has(object)) {
    if (headers["if-none-match"] === "*") {
      throw new S3Error(412, "PreconditionFailed", "At least one of the pre-conditions did not hold");
    }
    s3.overwritten.push(object);
  }
  s3.objects.set(object, body);
  return { status: 200, headers: { etag: etagOf(body) } };
}

function etagOf(body: Buffer): string {
  return `"${createHash("md5").update(body).digest("hex")}"`;
}

const MIN_PART = 5 * 1024 * 1024;

function performUpload(
  s3: S3Server,
  {
    method,
    object,
    query,
    headers,
    uploadId,
    body,
  }: S3Request & { readonly uploadId: string; readonly body: Buffer },
): Answer {
  const parts = s3.uploads.get(uploadId);
  if (parts === undefined) throw new S3Error(404, "NoSuchUpload", "The specified upload does not exist.");
  if (method === "DELETE") {
    s3.uploads.delete(uploadId);
    return { status: 204 };
  }
  if (method === "PUT") {
    parts.set(Number(query.get("partNumber")), body);
    return { status: 200, headers: { etag: etagOf(body) } };
  }
  const named = [...body.toString().matchAll(/<PartNumber>(\d+)<\/PartNumber><ETag>([^<]*)<\/ETag>/gu)];
  const chosen = named.map(([, number, etag]) => {
    const part = parts.get(Number(number));
    if (part === undefined || etag?.replaceAll("&quot;", '"') !== etagOf(part)) {
      throw new S3Error(400, "InvalidPart", "One or more of the specified parts could not be found.");
    }
    return part;
  });
  if (chosen.slice(0, -1).some((part) => part.length < MIN_PART)) {
    throw new S3Error(400, "EntityTooSmall", "Your proposed upload is smaller than the minimum allowed size");
  }
  put(s3, { object, headers, body: Buffer.concat(chosen) });
  s3.uploads.delete(uploadId);
  return { status: 200, body: "<CompleteMultipartUploadResult/>" };
}

const SKEW_MS = 15 * 60 * 1000;

/** The signature of the request as the service computes it: version 4, with the header `Authorization`. */
function assertSigned(
  s3: S3Server,
  {
    method,
    path,
    query,
    headers,
    body,
  }: Omit<S3Request, "object"> & { readonly path: string; readonly body: Buffer },
): void {
  const given =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/u.exec(
      headers.authorization ?? "",
    );
  if (given === null) throw new S3Error(403, "AccessDenied", "Access Denied");
  const [, id = "", day = "", region = "", names = "", signature = ""] = given;
  const date = String(headers["x-amz-date"]);
  if (id !== CREDENTIALS.AWS_ACCESS_KEY_ID) {
    throw new S3Error(
      403,
      "InvalidAccessKeyId",
      "The AWS Access Key Id you provided does not exist in our records.",
    );
  }
  if (region !== REGION) {
    const message = `the region '${region}' is wrong; expecting '${REGION}'`;
    throw new S3Error(400, "AuthorizationHeaderMalformed", message);
  }
  const at = Date.parse(date.replace(/^(....)(..)(..T..)(..)(..Z)$/u, "$1-$2-$3:$4:$5"));
  if (!(Math.abs(at - s3.now()) <= SKEW_MS) || !date.startsWith(day)) {
    throw new S3Error(
      403,
      "RequestTimeTooSkewed",
      "The difference between the request time and the current time is too large.",
    );
  }
  const hash = String(headers["x-amz-content-sha256"]);
  const signedNames = names.split(";");
  const mustSign = Object.keys(headers).filter((name) => name === "host" || name.startsWith("x-amz-"));
  if (mustSign.some((name) => !signedNames.includes(name))) {
    throw new S3Error(403, "AccessDenied", "There were headers present in the request which were not signed");
  }
  const search = [...query].map((pair) => pair.map(encoded).join("=")).sort();
  const canonical = [
    method,
    path.split("/").map(decodeURIComponent).map(encoded).join("/"),
    search.join("&"),
    ...signedNames.map((name) => `${name}:${String(headers[name] ?? "").replace(/\s+/gu, " ")}`),
    "",
    names,
    hash,
  ].join("\n");
  const text = [
    "AWS4-HMAC-SHA256",
    date,
    `${day}/${region}/s3/aws4_request`,
    createHash("sha256").update(canonical).digest("hex"),
  ].join("\n");
  const key = [day, region, "s3", "aws4_request"].reduce<string | Buffer>(
    (from, part) => createHmac("sha256", from).update(part).digest(),
    `AWS4${CREDENTIALS.AWS_SECRET_ACCESS_KEY}`,
  );
  const wanted = createHmac("sha256", key).update(text).digest();
  if (!timingSafeEqual(wanted, Buffer.from(signature, "hex"))) {
    throw new S3Error(
      403,
      "SignatureDoesNotMatch",
      "The request signature we calculated does not match the signature you provided.",
    );
  }
  if (hash !== createHash("sha256").update(body).digest("hex")) {
    throw new S3Error(
      400,
      "XAmzContentSHA256Mismatch",
      "The provided 'x-amz-content-sha256' header does not match what was computed.",
    );
  }
}

function encoded(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/gu,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
