/**
 * Scans: how the records of a session are folded once, saved, continued when the file has grown, and opened.
 *
 * Every agent has one `Scan`, and its `open` is `openByScan` of that. Code that follows sessions, or keeps an index of
 * them, uses `open`:
 *
 * ```ts
 * using first = await format.open(found, places, { save: true });
 * const text = JSON.stringify(first.saved);   // `null`: this session cannot be continued, open it again each time
 *
 * // Later, in this process or in another one, with what `find` or `recognise` now says of the session:
 * const saved: SavedScan = JSON.parse(text);
 * using later = await format.open(foundAgain, places, { save: true, continue: saved });
 * // If `later.continued` is false, the file was rewritten, and all of it was read again.
 * const after = later.continued ? { after: saved.position } : {};
 * for await (const message of later.history(after)) index(message);   // what the new lines made or changed
 * ```
 *
 * Promises: a scan that is saved and continued, at any byte, equals the scan of the whole file. A last line without a
 * line end is reported, and read again next time. If the bytes that the saved scan covered have changed, the whole file
 * is read again.
 * Does not know: any format, or where a saved scan is kept.
 */

export {
  type IndexedLines,
  type LineSource,
  lineEntries,
  newestFileOf,
  openLineSource,
  toLineSource,
} from "./lines.ts";
export { openByScan } from "./open.ts";
export type {
  MessageCounts,
  Scan,
  ScanContext,
  ScanFacts,
  ScanSource,
  ScanStart,
  Tip,
} from "./scan.ts";
