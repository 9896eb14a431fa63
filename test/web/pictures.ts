/** Pictures of pages, compared with those of the repository pixel by pixel. */

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import pixelmatch from "pixelmatch";
import type { Page } from "playwright-core";
import { PNG } from "pngjs";

const FOLDER = join(import.meta.dirname, "pictures");

/** The folder for pictures that differ; it stays after the run, and is not committed. */
const RESULTS = join(import.meta.dirname, "../../node_modules/.cache/pictures");

/** True if `npm run pictures` runs, which writes the pictures instead of comparing them. */
const IS_WRITTEN: boolean = process.env.CONTINUO_PICTURES === "write";

/**
 * The largest difference between two colours that is ignored, on a scale from 0 to 1. It is more than one step of
 * `coarse`, and less than the difference between the faintest border and the page.
 */
const THRESHOLD = 0.032;

/** The number of pixels that may differ: less than one letter. */
const MAX_PIXELS = 24;

/** The time in which a page must become equal to its picture; after one failure, the other pages have less. */
const PATIENCE_MS: readonly [number, number] = [30_000, 3_000];

interface Difference {
  readonly pixels: number;
  readonly picture: Buffer;
}

export class Pictures {
  /** One line for each picture that differs. */
  readonly failures: string[] = [];

  /** Takes pictures of the page until one equals the stored picture of this name. */
  async compare(page: Page, name: string): Promise<void> {
    const path = join(FOLDER, `${name}.png`);
    if (IS_WRITTEN) return writePicture(path, await settledPicture(page));
    if (!existsSync(path)) {
      this.failures.push(`${name}: there is no such picture; write it with \`npm run pictures\``);
      return;
    }
    const expected = readFileSync(path);
    const until = performance.now() + PATIENCE_MS[this.failures.length === 0 ? 0 : 1];
    while (true) {
      const actual = await page.screenshot();
      const difference = compareBytes(actual, expected);
      if (difference === null) return;
      if (performance.now() < until) continue;
      this.failures.push(
        `${name}: ${difference.pixels} pixels differ, see ${this.#keep(name, actual, difference)}`,
      );
      return;
    }
  }

  /** Stores the picture and the difference for a person, and returns the folder. */
  #keep(name: string, actual: Buffer, { picture }: Difference): string {
    mkdirSync(RESULTS, { recursive: true });
    writeFileSync(join(RESULTS, `${name}.actual.png`), actual);
    writeFileSync(join(RESULTS, `${name}.difference.png`), picture);
    return RESULTS;
  }
}

/** Returns `null` if both pictures look the same. */
function compareBytes(actual: Buffer, expected: Buffer): Difference | null {
  const [a, b] = [coarse(actual), PNG.sync.read(expected)];
  if (a.width !== b.width || a.height !== b.height) return { pixels: a.width * a.height, picture: actual };
  const out = new PNG({ width: a.width, height: a.height });
  const pixels = pixelmatch(a.data, b.data, out.data, a.width, a.height, { threshold: THRESHOLD });
  return pixels <= MAX_PIXELS ? null : { pixels, picture: PNG.sync.write(out) };
}

/** Colours in steps of eight make a picture a quarter smaller. */
function coarse(bytes: Buffer): PNG {
  const png = PNG.sync.read(bytes);
  for (let at = 0; at < png.data.length; at++) png.data[at] = (png.data[at] ?? 0) & 0xf8;
  return png;
}

/** Takes pictures of a page until four in a row are equal, and returns the last one. */
async function settledPicture(page: Page): Promise<Buffer> {
  let last = await page.screenshot();
  for (let same = 0; same < 3; ) {
    await page.waitForTimeout(100);
    const next = await page.screenshot();
    same = next.equals(last) ? same + 1 : 0;
    last = next;
  }
  return last;
}

/** Writes the picture smaller than the browser does, but only if it looks different from the stored one. */
function writePicture(path: string, bytes: Buffer): void {
  if (existsSync(path) && compareBytes(bytes, readFileSync(path)) === null) return;
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(
    path,
    PNG.sync.write(coarse(bytes), {
      colorType: 2,
      deflateLevel: 9,
      deflateStrategy: 0,
      filterType: 0,
    }),
  );
}
