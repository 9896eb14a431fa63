/**
 * The bytes of large blobs as objects of a service that speaks S3.
 *
 * Promises: an object is written once and never changed; its name has the hash of its bytes; a request with a lost,
 * incomplete or refused answer is repeated; an error names the wrong setting.
 * Does not know: rows, or which objects are still needed.
 */

export { s3Bodies } from "./bodies.ts";
export { assertS3Settings, type S3Settings } from "./settings.ts";
