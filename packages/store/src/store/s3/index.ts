/**
 * The bytes of large blobs as objects of a service that speaks S3.
 *
 * Promises: an object is written once and never changed; its name has the hash of its bytes; a lost, torn or refused
 * answer is asked for again; an error says which setting is wrong.
 * Does not know: rows, and which objects are still needed.
 */

export { s3Bodies } from "./bodies.ts";
export { assertS3Settings, type S3Settings } from "./settings.ts";
