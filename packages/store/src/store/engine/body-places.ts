/**
 * The places for the bytes of large blobs, and the function that finds the place of a body. The key in a row begins
 * with the name of its place, except for the engine's own place, so that a store with changed settings still finds
 * older bodies.
 */

import { type BlobBodies, ContinuoError } from "@continuo/core/model";
import { LIMITS } from "./limits.ts";

export type BodyPlace = "database" | "files" | "s3";

export interface BodyPlaces extends BlobBodies {
  /** The place of new bodies. */
  readonly newIn: BodyPlace;
  /** Blobs with more bytes than this get a body. */
  readonly inlineBytes: number;
  placeOf(key: string): BodyPlace;
  /** The same store of bodies, with new bodies in that place. Errors: `unsupported`. */
  into(place: BodyPlace): BlobBodies;
  /** The same places, and S3 for new bodies. */
  withS3(s3: BlobBodies): BodyPlaces;
}

export interface BodyPlaceOptions {
  /** Its keys have no prefix, because this place is older than the others. */
  readonly own: "database" | "files";
  readonly database: BlobBodies;
  readonly files?: BlobBodies;
  readonly s3?: BlobBodies;
}

const MARKS: Readonly<Record<BodyPlace, string>> = { database: "db:", files: "file:", s3: "s3:" };

export function bodyPlaces(given: BodyPlaceOptions): BodyPlaces {
  const markOf = (place: BodyPlace): string => (place === given.own ? "" : MARKS[place]);
  const placeOf = (key: string): BodyPlace =>
    (Object.keys(MARKS) as BodyPlace[]).find((place) => key.startsWith(MARKS[place])) ?? given.own;
  const at = (key: string): { readonly bodies: BlobBodies; readonly key: string } => {
    const place = placeOf(key);
    const mark = key.startsWith(MARKS[place]) ? MARKS[place] : "";
    return { bodies: given[place] ?? missing(place, key), key: key.slice(mark.length) };
  };
  const into = (place: BodyPlace): BlobBodies => {
    const bodies = given[place] ?? unsupported(place);
    return {
      put: async (key, bytes, onNamed) => {
        const marked = (named: string): string => `${markOf(place)}${named}`;
        return marked(await bodies.put(key, bytes, async (named) => await onNamed?.(marked(named))));
      },
      open,
      remove,
      abandon,
    };
  };
  const open = (key: string): AsyncIterable<Uint8Array> => {
    const found = at(key);
    return found.bodies.open(found.key);
  };
  const remove = async (key: string): Promise<void> => {
    const found = at(key);
    await found.bodies.remove(found.key);
  };
  const abandon = async (key: string): Promise<void> => {
    const found = at(key);
    await found.bodies.abandon?.(found.key);
  };
  const newIn = given.s3 === undefined ? given.own : "s3";
  return {
    newIn,
    inlineBytes: given.s3 === undefined ? LIMITS.inlineBlobBytes : LIMITS.inlineBesideS3Bytes,
    placeOf,
    into,
    ...into(newIn),
    withS3: (s3) => bodyPlaces({ ...given, s3 }),
  };
}

function missing(place: BodyPlace, key: string): never {
  if (place !== "s3") throw unsupported(place);
  throw new ContinuoError("unavailable", "the bytes of a blob are in S3, and no bucket is set", {
    hint: "Set `blobs.s3` in continuo.yaml, or give `blobs` to openStore.",
    details: { key },
  });
}

function unsupported(place: BodyPlace): never {
  const hint = {
    s3: "Set `blobs.s3` in continuo.yaml, or give `blobs` to openStore.",
    files: "Use a store on SQLite: the servers of a Postgres database do not share a folder.",
    database: "Use another store.",
  }[place];
  const name = { s3: "S3", files: "files", database: "its database" }[place];
  throw new ContinuoError("unsupported", `this store cannot keep blobs in ${name}`, { hint });
}
