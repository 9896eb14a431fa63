/** Finds the type of an attachment: the type that its sender names, if the first bytes match it. Pure. */

const UNKNOWN_TYPE = "application/octet-stream";
/** The number of bytes at the beginning that are examined. */
export const HEAD_BYTES = 512;

interface Format {
  /** The extension of a download's name. */
  readonly extension: string;
  /** A list for each variant of the format. It has the parts of the beginning, in Latin-1, with their places. */
  readonly beginnings: readonly (readonly (readonly [at: number, text: string])[])[];
}

const ZIP: Format["beginnings"] = [[[0, "PK\x03\x04"]], [[0, "PK\x05\x06"]]];
const ISO_MEDIA: Format["beginnings"] = [[[4, "ftyp"]]];
const EBML: Format["beginnings"] = [[[0, "\x1aE\xdf\xa3"]]];
const OGG: Format["beginnings"] = [[[0, "OggS"]]];
const RIFF_WAVE: Format["beginnings"] = [
  [
    [0, "RIFF"],
    [8, "WAVE"],
  ],
];

const FORMATS: Readonly<Record<string, Format>> = {
  "image/png": { extension: "png", beginnings: [[[0, "\x89PNG\r\n\x1a\n"]]] },
  "image/jpeg": { extension: "jpg", beginnings: [[[0, "\xff\xd8\xff"]]] },
  "image/gif": { extension: "gif", beginnings: [[[0, "GIF87a"]], [[0, "GIF89a"]]] },
  "image/webp": {
    extension: "webp",
    beginnings: [
      [
        [0, "RIFF"],
        [8, "WEBP"],
      ],
    ],
  },
  "image/avif": { extension: "avif", beginnings: ISO_MEDIA },
  "application/pdf": { extension: "pdf", beginnings: [[[0, "%PDF-"]]] },
  "application/zip": { extension: "zip", beginnings: ZIP },
  "application/gzip": { extension: "gz", beginnings: [[[0, "\x1f\x8b"]]] },
  "audio/wav": { extension: "wav", beginnings: RIFF_WAVE },
  "audio/x-wav": { extension: "wav", beginnings: RIFF_WAVE },
  "audio/mpeg": {
    extension: "mp3",
    beginnings: [[[0, "ID3"]], [[0, "\xff\xfb"]], [[0, "\xff\xf3"]], [[0, "\xff\xf2"]]],
  },
  "audio/ogg": { extension: "ogg", beginnings: OGG },
  "audio/webm": { extension: "webm", beginnings: EBML },
  "audio/mp4": { extension: "m4a", beginnings: ISO_MEDIA },
  "video/mp4": { extension: "mp4", beginnings: ISO_MEDIA },
  "video/webm": { extension: "webm", beginnings: EBML },
  "video/ogg": { extension: "ogv", beginnings: OGG },
};

const TEXT = /^(?:text\/[\w.+-]+|application\/(?:json|jsonl|x-ndjson|yaml|toml|[\w.-]+\+(?:json|xml)))$/u;

/**
 * Returns the type that the sender named, with its parameters, if the bytes can have it; `UNKNOWN_TYPE` for bytes that
 * do not match, and for types that cannot be recognised by bytes.
 * @param head the first `HEAD_BYTES` of the attachment, or all of it
 */
export function mediaTypeOf(said: string | null, head: Uint8Array): string {
  if (said === null) return UNKNOWN_TYPE;
  const name = nameOf(said);
  if (TEXT.test(name)) return head.includes(0) ? UNKNOWN_TYPE : said;
  const text = Buffer.from(head).toString("latin1");
  const isRight = FORMATS[name]?.beginnings.some((parts) =>
    parts.every(([at, part]) => text.startsWith(part, at)),
  );
  return isRight === true ? said : UNKNOWN_TYPE;
}

/** Returns the extension of a download. Text gets `txt`, so that no program executes what somebody else wrote. */
export function extensionOf(mediaType: string): string {
  const name = nameOf(mediaType);
  return FORMATS[name]?.extension ?? (TEXT.test(name) ? "txt" : "bin");
}

function nameOf(mediaType: string): string {
  const [name = ""] = mediaType.split(";", 1);
  return name.trim().toLowerCase();
}
