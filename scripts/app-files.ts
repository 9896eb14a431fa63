/**
 * The files with which a browser installs the viewer as an app: a web manifest, and icons, which are drawn here. The
 * icon is a white disc on the colour of the viewer, with a margin, because systems cut icons into their own shapes.
 */

import { createHash } from "node:crypto";
import { crc32, deflateSync } from "node:zlib";

export interface AppFiles {
  /** The content of each file, by its name. */
  readonly files: ReadonlyMap<string, string | Uint8Array>;
  readonly manifest: string;
  /** The icon for the home screen of an iPhone, which reads no manifest for it. */
  readonly touchIcon: string;
}

const TOUCH_SIZE = 180;
const SIZES = [192, 512];
const ACCENT = [0x5b, 0x5e, 0xd6] as const;
/** The radius of the disc as a part of the width; a system may cut a tenth off each side. */
const RADIUS = 0.24;

export function appFiles(): AppFiles {
  const files = new Map<string, string | Uint8Array>();
  const add = (name: string, ending: string, content: string | Uint8Array): string => {
    const full = named(name, ending, content);
    files.set(full, content);
    return full;
  };
  const icons = SIZES.map((size) => ({
    src: `/assets/${add(`icon-${size}`, "png", icon(size))}`,
    sizes: `${size}x${size}`,
    type: "image/png",
    purpose: "any maskable",
  }));
  const touchIcon = add(`icon-${TOUCH_SIZE}`, "png", icon(TOUCH_SIZE));
  const manifest = {
    id: "/",
    name: "Continuo",
    short_name: "Continuo",
    description: "What your agents did, and what they wait for",
    start_url: "/#/inbox",
    scope: "/",
    display: "standalone",
    background_color: "#ffffff",
    theme_color: "#5b5ed6",
    icons,
  };
  return { files, touchIcon, manifest: add("app", "webmanifest", JSON.stringify(manifest)) };
}

export function named(name: string, ending: string, text: string | Uint8Array): string {
  return `${name}-${createHash("sha256").update(text).digest("hex").slice(0, 12)}.${ending}`;
}

/** A PNG of one byte for each of red, green and blue. */
function icon(size: number): Uint8Array {
  const rows = Buffer.alloc(size * (1 + 3 * size));
  const centre = (size - 1) / 2;
  for (let y = 0, at = 0; y < size; y++) {
    rows[at++] = 0;
    for (let x = 0; x < size; x++) {
      const inside = size * RADIUS - Math.hypot(x - centre, y - centre);
      const white = Math.min(1, Math.max(0, inside + 0.5));
      for (const colour of ACCENT) rows[at++] = Math.round(colour + (255 - colour) * white);
    }
  }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(size, 0);
  head.writeUInt32BE(size, 4);
  // Each channel has eight bits, and the colour type 2 is RGB.
  head.set([8, 2, 0, 0, 0], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const parts = [
    chunk("IHDR", head),
    chunk("IDAT", deflateSync(rows, { level: 9 })),
    chunk("IEND", Buffer.alloc(0)),
  ];
  return new Uint8Array(Buffer.concat([signature, ...parts]));
}

function chunk(type: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}
