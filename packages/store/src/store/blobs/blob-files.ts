/** Stores and reads blobs. They are hashed while they stream; small blobs are in their row, large blobs in a body. */

import { createHash } from "node:crypto";
import {
  type BlobInfo,
  type BlobSource,
  type BlobStore,
  type CollectOptions,
  ContinuoError,
  isContinuoError,
  type OpenedBlob,
  type PutBlobOptions,
} from "@continuo/core/model";
import type { Engine, Transaction, Work } from "../engine/index.ts";
import {
  assertText,
  assertTime,
  type BlobRow,
  collectExpiredPage,
  collectPage,
  type ExpiredPage,
  type ExpiredPlace,
  findBlob,
  insertBlob,
  invalid,
  isObject,
  listBlobs,
  type NewBlob,
  noteObject,
  notFound,
  setBlobExpiry,
  takeWritten,
  toBlobInfo,
} from "../rules/index.ts";
import { putBody, removeBody } from "./object-bodies.ts";

const COLLECT_AFTER_MS = 3_600_000;
const DEFAULT_TYPE = "application/octet-stream";

export function blobStore(engine: Engine): BlobStore {
  return {
    putBlob: (source, options = {}) => putBlob(engine, source, options),
    openBlob: async (hash, options = {}) => openBlob(engine, await findOrThrow(engine, hash, options.signal)),
    statBlob: async (hash, options = {}) => {
      const row = await engine.read((scope) => findBlob(scope, hashOf(hash)), options.signal);
      return row === undefined ? null : toBlobInfo(row);
    },
    listBlobs: (options = {}) => engine.read((scope) => listBlobs(scope, options), options.signal),
    setBlobExpiry: (hash, expiresAt, { signal } = {}) =>
      engine.write((tx) => setBlobExpiry(tx, hashOf(hash), expiresAt), signal),
    collectBlobs: (options = {}) => collectBlobs(engine, options),
  };
}

async function putBlob(engine: Engine, source: BlobSource, options: PutBlobOptions): Promise<BlobInfo> {
  const { mediaType = DEFAULT_TYPE, expiresAt, signal } = options;
  assertText("media type", mediaType);
  if (expiresAt !== undefined) assertTime("expiresAt of a blob", expiresAt);
  signal?.throwIfAborted();
  const reader = new BlobReader(source, signal);
  const head = await reader.head(engine.bodies.inlineBytes);
  const bodyKey =
    head.rest === undefined ? null : await putBody(engine, engine.bodies, reader.all(head.bytes));
  const blob: NewBlob = {
    hash: reader.hash.digest("hex"),
    sizeBytes: reader.sizeBytes,
    mediaType,
    expiresAt: expiresAt === undefined ? null : Date.parse(expiresAt),
    inline: bodyKey === null ? head.bytes : null,
    bodyKey,
  };
  const row = await insertOrDiscard(engine, blob, signal);
  // The same bytes were already stored, so the new body is not needed.
  if (bodyKey !== null && row.body_key !== bodyKey) await removeBody(engine, bodyKey);
  return toBlobInfo(row);
}

async function insertOrDiscard(engine: Engine, blob: NewBlob, signal?: AbortSignal): Promise<BlobRow> {
  try {
    return await engine.write((tx) => insertUnexpired(tx, blob), signal);
  } catch (error) {
    if (blob.bodyKey !== null) await removeBody(engine, blob.bodyKey);
    throw error;
  }
}

/** An expired blob is refused inside the transaction: otherwise a row would remain that refers to a removed body. */
function* insertUnexpired(tx: Transaction, blob: NewBlob): Work<BlobRow> {
  const { bodyKey } = blob;
  if (bodyKey !== null && isObject(bodyKey)) yield* takeWritten(tx, bodyKey);
  const row = yield* insertBlob(tx, blob);
  if (bodyKey !== null && isObject(bodyKey) && row?.body_key !== bodyKey) {
    yield* noteObject(tx, bodyKey, "removing");
  }
  if (row === undefined) throw invalid("cannot store a blob that has already expired");
  return row;
}

/** Counts and hashes what passes through. */
class BlobReader {
  readonly hash = createHash("sha256");
  sizeBytes = 0;
  readonly #chunks: AsyncIterator<Uint8Array> | Iterator<Uint8Array>;
  readonly #signal: AbortSignal | undefined;

  constructor(source: BlobSource, signal: AbortSignal | undefined) {
    const chunks = source instanceof Uint8Array ? [source] : source;
    this.#chunks =
      Symbol.asyncIterator in chunks ? chunks[Symbol.asyncIterator]() : chunks[Symbol.iterator]();
    this.#signal = signal;
  }

  async #next(): Promise<Uint8Array | undefined> {
    this.#signal?.throwIfAborted();
    const { done, value } = await this.#chunks.next();
    if (done === true) return undefined;
    if (!(value instanceof Uint8Array)) throw invalid("the content of a blob must be Uint8Arrays");
    this.hash.update(value);
    this.sizeBytes += value.length;
    return value;
  }

  /** Returns the first chunks, until they are longer than the limit; `rest` is `more` if there may be more bytes. */
  async head(limit: number): Promise<{ readonly bytes: Uint8Array; readonly rest: "more" | undefined }> {
    const parts: Uint8Array[] = [];
    while (this.sizeBytes <= limit) {
      const chunk = await this.#next();
      if (chunk === undefined) return { bytes: Buffer.concat(parts), rest: undefined };
      parts.push(Uint8Array.from(chunk));
    }
    return { bytes: Buffer.concat(parts), rest: "more" };
  }

  async *all(head: Uint8Array): AsyncGenerator<Uint8Array, void, void> {
    yield head;
    for (let chunk = await this.#next(); chunk !== undefined; chunk = await this.#next()) yield chunk;
  }
}

function hashOf(hash: string): string {
  if (!/^[0-9a-f]{64}$/.test(hash)) throw invalid("the hash of a blob must be 64 hex digits", { hash });
  return hash;
}

async function findOrThrow(engine: Engine, hash: string, signal?: AbortSignal): Promise<BlobRow> {
  const row = await engine.read((scope) => findBlob(scope, hashOf(hash)), signal);
  if (row === undefined) throw notFound("blob", hash);
  return row;
}

function openBlob(engine: Engine, row: BlobRow): OpenedBlob {
  const { body_key: key } = row;
  const bytes = key === null ? once(row.inline_bytes ?? new Uint8Array()) : bodyOf(engine, row, key);
  return { ...toBlobInfo(row), bytes: checked(row, bytes) };
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, void> {
  yield bytes;
}

/** If a body moves to another place during a read, the read continues there. */
async function* bodyOf(engine: Engine, row: BlobRow, key: string): AsyncGenerator<Uint8Array, void, void> {
  let sent = 0;
  for (let from = key; ; ) {
    let failure: unknown;
    try {
      let skip = sent;
      for await (const chunk of engine.bodies.open(from)) {
        const rest = chunk.subarray(Math.min(skip, chunk.length));
        skip -= chunk.length - rest.length;
        sent += rest.length;
        if (rest.length > 0) yield rest;
      }
      if (sent >= row.size_bytes) return;
    } catch (error) {
      if (!isContinuoError(error, "not_found")) throw error;
      failure = error;
    }
    const now = await engine.read((scope) => findBlob(scope, row.hash));
    if (now?.body_key == null || now.body_key === from) {
      if (failure !== undefined) throw failure;
      return;
    }
    from = now.body_key;
  }
}

async function* checked(
  row: BlobRow,
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, void> {
  const hash = createHash("sha256");
  for await (const chunk of bytes) {
    hash.update(chunk);
    yield chunk;
  }
  if (hash.digest("hex") !== row.hash) {
    throw new ContinuoError("corrupt", `the blob ${row.hash} is damaged: its bytes do not match its hash`, {
      hint: "Restore it from a backup, or store the bytes again.",
      details: { hash: row.hash },
    });
  }
}

async function collectBlobs(
  engine: Engine,
  options: CollectOptions,
): Promise<{ readonly removed: number; readonly sizeBytes: number }> {
  let removed = 0;
  let sizeBytes = 0;
  for await (const page of options.only === "expired"
    ? expiredPages(engine, options)
    : pages(engine, options)) {
    // Bodies are removed after the commit, so a crash in between leaves a body without a row, never the opposite.
    for (const key of page.bodyKeys) await removeBody(engine, key);
    removed += page.removed;
    sizeBytes += page.sizeBytes;
  }
  return { removed, sizeBytes };
}

async function* pages(
  engine: Engine,
  { minAgeMs = COLLECT_AFTER_MS, signal }: CollectOptions,
): CollectedPages {
  for (let more = true; more; ) {
    const page = await engine.write((tx) => collectPage(tx, minAgeMs), signal);
    yield page;
    more = page.more;
  }
}

async function* expiredPages(engine: Engine, { signal }: CollectOptions): CollectedPages {
  for (let after: ExpiredPlace | null = null; ; ) {
    const from: ExpiredPlace | null = after;
    const page: ExpiredPage = await engine.write((tx) => collectExpiredPage(tx, from), signal);
    yield page;
    if (page.next === null) return;
    after = page.next;
  }
}

type CollectedPages = AsyncGenerator<Omit<ExpiredPage, "next">, void, void>;
