/**
 * Captions that a page draws over its video: text inside the picture that changes while the video plays. This is a
 * guess, which a person switches on.
 */

import { LIMITS } from "../limits.ts";
import { plainText } from "./captions.ts";

/** A piece of text over a video. `place` names the kind of element that shows it. */
export interface ShownText {
  readonly place: string;
  readonly text: string;
}

/** The texts of one kind of element, and the number of their changes. */
export interface TextPlace {
  readonly text: string;
  readonly changes: number;
  readonly changedAtMs: number;
}

export type TextPlaces = ReadonlyMap<string, TextPlace>;

/** After this number of changes, a place counts as captions; after this time without a change, it is forgotten. */
const CHANGES = 2;
const QUIET_MS = 30_000;

/** The places after an update with the present texts. A place that shows nothing for a moment still counts. Pure. */
export function foldTexts(before: TextPlaces, shown: readonly ShownText[], nowMs: number): TextPlaces {
  const now = new Map<string, string>();
  for (const { place, text } of shown) now.set(place, `${now.get(place) ?? ""} ${text}`.trim());
  const after = new Map<string, TextPlace>();
  for (const place of new Set([...before.keys(), ...now.keys()])) {
    const old = before.get(place);
    const text = now.get(place) ?? "";
    const isNew = text !== "" && text !== old?.text;
    const changedAtMs = isNew ? nowMs : (old?.changedAtMs ?? nowMs);
    if (nowMs - changedAtMs > QUIET_MS) continue;
    after.set(place, { text, changes: (old?.changes ?? 0) + (isNew ? 1 : 0), changedAtMs });
  }
  return after;
}

/** The text of the places that change like captions, without counters of time or percent: they have no words. Pure. */
export function captionsIn(places: TextPlaces): string {
  return [...places.values()]
    .filter(({ text, changes }) => changes >= CHANGES && /\p{L}{2}/u.test(text))
    .map(({ text }) => text)
    .join(" ");
}

const CONTROLS =
  "button, a, input, select, textarea, [role=button], [role=slider], [role=menu], [role=tooltip]";
/** The greatest number of elements around a video that can belong to its player. */
const LEVELS = 5;

/** The texts inside the picture of a video, in the player around it. */
export function textsOver(video: HTMLVideoElement): readonly ShownText[] {
  const frame = video.getBoundingClientRect();
  const found: ShownText[] = [];
  const walker = document.createTreeWalker(playerOf(video), NodeFilter.SHOW_TEXT);
  for (let looks = 0; looks < LIMITS.textsPerLook; looks++) {
    const node = walker.nextNode();
    if (node === null) break;
    const element = node.parentElement;
    const text = plainText(node.textContent ?? "");
    if (element === null || text === "" || text.length > LIMITS.captionChars) continue;
    if (element.closest(CONTROLS) !== null || !isInside(element, frame)) continue;
    found.push({ place: placeOf(element), text });
  }
  return found;
}

/** The largest element around the video that is not much larger than its picture. */
export function playerOf(video: HTMLVideoElement): Element {
  const frame = video.getBoundingClientRect();
  let player: Element = video.parentElement ?? video;
  for (let level = 0; level < LEVELS; level++) {
    const next = player.parentElement;
    if (next === null || next === document.body) break;
    const { width, height } = next.getBoundingClientRect();
    if (width > frame.width * 1.3 || height > frame.height * 1.5) break;
    player = next;
  }
  return player;
}

function isInside(element: Element, frame: DOMRect): boolean {
  const { top, bottom, left, right, width, height } = element.getBoundingClientRect();
  const isOver =
    top >= frame.top - 1 && bottom <= frame.bottom + 1 && left >= frame.left - 1 && right <= frame.right + 1;
  return (
    isOver &&
    width > 0 &&
    height > 0 &&
    element.checkVisibility({ opacityProperty: true, visibilityProperty: true })
  );
}

/** Names the kind of an element, because pages make a new element of the same kind for each caption. */
function placeOf(element: Element): string {
  const names: string[] = [];
  for (let one: Element | null = element; one !== null && names.length < 3; one = one.parentElement) {
    names.push(`${one.tagName}.${one.classList[0] ?? ""}`);
  }
  return names.join("<");
}
