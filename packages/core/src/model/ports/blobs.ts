/** Blobs: bytes kept by what they are (SHA-256), within a workspace. */

import type { CallOptions, Page, PageOptions } from "./page.ts";

export interface BlobInfo {
  /** SHA-256, 64 hex digits. */
  readonly hash: string;
  readonly sizeBytes: number;
  readonly mediaType: string;
  readonly createdAt: string;
  readonly expiresAt?: string;
}

export type BlobSource = Uint8Array | AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

export interface PutBlobOptions extends CallOptions {
  /** `application/octet-stream` if none is given. The first one given for the same bytes stays. */
  readonly mediaType?: string;
  /** May be collected from then on, unless an event refers to it. The later one of two stays. */
  readonly expiresAt?: string;
}

export interface OpenedBlob extends BlobInfo {
  /**
   * The bytes, once. The hash is checked at the end: the iteration throws `corrupt` when it differs.
   */
  readonly bytes: AsyncIterable<Uint8Array>;
}

export interface CollectOptions extends CallOptions {
  /** Blobs younger than this are kept, so that an event may still refer to them; an hour if none is given. */
  readonly minAgeMs?: number;
  /** Blobs without an expiry are kept. */
  readonly only?: "expired";
}

export interface ListBlobsOptions extends PageOptions {
  /** Those that expire until then (ISO 8601 UTC), soonest first. */
  readonly expiresBefore?: string;
  /** Those that expire after that time, soonest first. */
  readonly expiresAfter?: string;
}

export interface BlobStore {
  putBlob(source: BlobSource, options?: PutBlobOptions): Promise<BlobInfo>;
  /** Errors: `not_found`. */
  openBlob(hash: string, options?: CallOptions): Promise<OpenedBlob>;
  statBlob(hash: string, options?: CallOptions): Promise<BlobInfo | null>;
  /**
   * With `expiresBefore` or `expiresAfter` blobs that have an expiry, ordered by the time of expiry, including blobs
   * that expired and are not collected yet; without either, all blobs in order of hash.
   */
  listBlobs(options?: ListBlobsOptions): Promise<Page<BlobInfo>>;
  /**
   * Another expiry, sooner or later than the one before, or none (`null`). A time in the past lets the blob be
   * collected at once, unless an event refers to it. Errors: `not_found`, also for a blob that expired.
   */
  setBlobExpiry(hash: string, expiresAt: string | null, options?: CallOptions): Promise<BlobInfo>;
  /** Removes blobs that no event refers to, and that expired or are older than `minAgeMs`. */
  collectBlobs(options?: CollectOptions): Promise<{ readonly removed: number; readonly sizeBytes: number }>;
}

/**
 * The storage for the bytes of large blobs: a folder, rows of the database, or a service that speaks S3. A key
 * is made by the store, used once, and holds no meaning.
 */
export interface BlobBodies {
  /**
   * Durable when it resolves, with the key under which `open` and `remove` know the bytes: the given one, or one
   * that is made of it. Nothing is left when it throws.
   *
   * @param onNamed called with that key before the first write, if a process that ends could leave bytes behind
   */
  put(
    key: string,
    bytes: AsyncIterable<Uint8Array>,
    onNamed?: (key: string) => Promise<void>,
  ): Promise<string>;
  /** Errors: `not_found`. */
  open(key: string): AsyncIterable<Uint8Array>;
  /** A key that does not exist is no error. */
  remove(key: string): Promise<void>;
  /** Removes what an unfinished write of a key left when its process ended, where such parts can remain unseen. */
  abandon?(key: string): Promise<void>;
}
