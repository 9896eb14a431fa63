/** Blobs: bytes of a workspace, which are stored under their SHA-256. */

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
  /** `application/octet-stream` if none is given. If the same bytes are stored again, the first type stays. */
  readonly mediaType?: string;
  /**
   * From this time on, the blob may be collected, unless an event refers to it. If the same bytes are stored again, the
   * later time counts, and a blob that was stored without a time does not expire.
   */
  readonly expiresAt?: string;
}

export interface OpenedBlob extends BlobInfo {
  /**
   * The bytes, which can be read once. The hash is checked at the end: the iteration throws `corrupt` if it differs.
   */
  readonly bytes: AsyncIterable<Uint8Array>;
}

export interface CollectOptions extends CallOptions {
  /** Younger blobs without an expiry are kept, so that an event may still refer to them; an hour if none is given. */
  readonly minAgeMs?: number;
  /** `expired`: blobs without an expiry are kept. */
  readonly only?: "expired";
}

export interface ListBlobsOptions extends PageOptions {
  /** Only blobs that expire at this time (ISO 8601 UTC) or before it, the soonest first. */
  readonly expiresBefore?: string;
  /** Only blobs that expire after this time, the soonest first. */
  readonly expiresAfter?: string;
}

export interface BlobStore {
  putBlob(source: BlobSource, options?: PutBlobOptions): Promise<BlobInfo>;
  /** Errors: `not_found`. */
  openBlob(hash: string, options?: CallOptions): Promise<OpenedBlob>;
  statBlob(hash: string, options?: CallOptions): Promise<BlobInfo | null>;
  /**
   * With `expiresBefore` or `expiresAfter`, lists the blobs that have an expiry, ordered by this time, including blobs
   * that expired and are not collected yet. Otherwise, lists all blobs, ordered by their hash.
   */
  listBlobs(options?: ListBlobsOptions): Promise<Page<BlobInfo>>;
  /**
   * Sets another expiry, sooner or later than the present one, or none (`null`). With a time in the past, the blob may
   * be collected immediately, unless an event refers to it. Errors: `not_found`, also for a blob that expired and to
   * which no event refers.
   */
  setBlobExpiry(hash: string, expiresAt: string | null, options?: CallOptions): Promise<BlobInfo>;
  /** Removes blobs that no event refers to: expired ones, and those without an expiry older than `minAgeMs`. */
  collectBlobs(options?: CollectOptions): Promise<{ readonly removed: number; readonly sizeBytes: number }>;
}

/**
 * The storage for the bytes of large blobs: a folder, rows of the database, or a service that speaks S3. The store
 * makes a key, uses it once, and gives it no meaning.
 */
export interface BlobBodies {
  /**
   * Resolves when the bytes are durable, with the key under which `open` and `remove` find them: the given key, or a
   * key that is made from it. If it throws, nothing is left.
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
  /** A key that does not exist is not an error. */
  remove(key: string): Promise<void>;
  /** Removes the parts that an unfinished write of a key left when its process ended. Only storages with such parts. */
  abandon?(key: string): Promise<void>;
}
