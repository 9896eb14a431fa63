/**
 * Finds the lines that two texts have in common, by Myers' algorithm in linear space ("An O(ND) Difference Algorithm
 * and Its Variations", 1986): it finds the middle of a shortest path from both ends, and then compares the halves.
 * Pure.
 */

/**
 * After this many steps from both ends, the best place so far counts as the middle. Two texts of 400 lines are compared
 * exactly.
 */
const MAX_STEPS = 400;

/** After this many visits of diagonals, the rest is compared with few steps for each part. */
const MAX_VISITS = 3_000_000;
const FEW_STEPS = 16;

export interface CommonLines {
  /** 1 for each line of the old text that stays. */
  readonly old: Uint8Array;
  /** 1 for each line of the new text that was there before. */
  readonly fresh: Uint8Array;
}

export function commonLines(old: readonly string[], fresh: readonly string[]): CommonLines {
  const common = { old: new Uint8Array(old.length), fresh: new Uint8Array(fresh.length) };
  const numbers = new Map<string, number>();
  const numberOf = (line: string): number => {
    const known = numbers.get(line) ?? numbers.size;
    numbers.set(line, known);
    return known;
  };
  const [x, y] = [old.map(numberOf), fresh.map(numberOf)];
  const sides = { x: onlyIn(x, new Set(y)), y: onlyIn(y, new Set(x)) };
  const size = sides.x.values.length + sides.y.values.length + 3;
  const work: Work = {
    xs: sides.x.values,
    ys: sides.y.values,
    forward: new Int32Array(size),
    backward: new Int32Array(size),
    offset: sides.y.values.length + 1,
    visits: 0,
    keep: (i, j) => {
      common.old[sides.x.places[i] as number] = 1;
      common.fresh[sides.y.places[j] as number] = 1;
    },
  };
  compareParts(work, { xFrom: 0, xTo: sides.x.values.length, yFrom: 0, yTo: sides.y.values.length });
  return common;
}

interface Side {
  readonly values: Int32Array;
  readonly places: readonly number[];
}

/** A line that the other side does not have cannot stay: it is not compared. */
function onlyIn(values: readonly number[], other: ReadonlySet<number>): Side {
  const places = values.flatMap((value, at) => (other.has(value) ? [at] : []));
  return { places, values: Int32Array.from(places, (at) => values[at] as number) };
}

interface Work {
  readonly xs: Int32Array;
  readonly ys: Int32Array;
  /** The place that each diagonal has reached, from the beginning and from the end. */
  readonly forward: Int32Array;
  readonly backward: Int32Array;
  /** The place of diagonal 0. */
  readonly offset: number;
  visits: number;
  readonly keep: (i: number, j: number) => void;
}

interface DiffRegion {
  readonly xFrom: number;
  readonly xTo: number;
  readonly yFrom: number;
  readonly yTo: number;
}

function compareParts(work: Work, whole: DiffRegion): void {
  const { xs, ys, keep } = work;
  const left = [whole];
  for (let part = left.pop(); part !== undefined; part = left.pop()) {
    let { xFrom, xTo, yFrom, yTo } = part;
    while (xFrom < xTo && yFrom < yTo && xs[xFrom] === ys[yFrom]) keep(xFrom++, yFrom++);
    while (xFrom < xTo && yFrom < yTo && xs[xTo - 1] === ys[yTo - 1]) keep(--xTo, --yTo);
    if (xFrom === xTo || yFrom === yTo) continue;
    const [x, y] = middleOf(work, { xFrom, xTo, yFrom, yTo });
    left.push({ xFrom, xTo: x, yFrom, yTo: y }, { xFrom: x, xTo, yFrom: y, yTo });
  }
}

type GridPoint = readonly [x: number, y: number];

/** The diagonals that were reached in one direction: every second one from `least` to `most`. */
interface Reach {
  least: number;
  most: number;
}

function middleOf(work: Work, part: DiffRegion): GridPoint {
  const { forward, backward, offset } = work;
  const { xFrom, xTo, yFrom, yTo } = part;
  const [start, end] = [xFrom - yFrom, xTo - yTo];
  const ahead: Reach = { least: start, most: start };
  const behind: Reach = { least: end, most: end };
  const isOdd = ((start - end) & 1) === 1;
  forward[offset + start] = xFrom;
  backward[offset + end] = xTo;
  const most = work.visits < MAX_VISITS ? MAX_STEPS : FEW_STEPS;
  for (let step = 1; step <= most; step++) {
    work.visits += 2 * step;
    widen(work, part, ahead, forward, -1);
    for (let d = ahead.most; d >= ahead.least; d -= 2) {
      const x = stepAhead(work, part, d);
      if (isOdd && behind.least <= d && d <= behind.most && (backward[offset + d] as number) <= x)
        return [x, x - d];
    }
    widen(work, part, behind, backward, Number.MAX_SAFE_INTEGER);
    for (let d = behind.most; d >= behind.least; d -= 2) {
      const x = stepBehind(work, part, d);
      if (!isOdd && ahead.least <= d && d <= ahead.most && x <= (forward[offset + d] as number))
        return [x, x - d];
    }
  }
  return furthest(work, part, ahead);
}

/** Adds one diagonal at each side, unless it leaves the part. */
function widen(
  { offset }: Work,
  { xFrom, xTo, yFrom, yTo }: DiffRegion,
  reach: Reach,
  places: Int32Array,
  none: number,
): void {
  const limit = Math.min(none, 2 ** 31 - 1);
  if (reach.least > xFrom - yTo) places[offset + --reach.least - 1] = limit;
  else reach.least += 1;
  if (reach.most < xTo - yFrom) places[offset + ++reach.most + 1] = limit;
  else reach.most -= 1;
}

function stepAhead({ xs, ys, forward, offset }: Work, { xTo, yTo }: DiffRegion, d: number): number {
  const [below, above] = [forward[offset + d - 1] as number, forward[offset + d + 1] as number];
  let x = below < above ? above : below + 1;
  while (x < xTo && x - d < yTo && xs[x] === ys[x - d]) x += 1;
  forward[offset + d] = x;
  return x;
}

function stepBehind({ xs, ys, backward, offset }: Work, { xFrom, yFrom }: DiffRegion, d: number): number {
  const [below, above] = [backward[offset + d - 1] as number, backward[offset + d + 1] as number];
  let x = below < above ? below : above - 1;
  while (x > xFrom && x - d > yFrom && xs[x - 1] === ys[x - d - 1]) x -= 1;
  backward[offset + d] = x;
  return x;
}

/** Returns the place with the most lines before it, among those that were reached from the beginning. */
function furthest({ forward, offset }: Work, { xTo, yTo }: DiffRegion, { least, most }: Reach): GridPoint {
  let best: GridPoint = [-1, -1];
  for (let d = most; d >= least; d -= 2) {
    const reached = Math.min(forward[offset + d] as number, xTo);
    const x = reached - d > yTo ? yTo + d : reached;
    if (x + (x - d) > best[0] + best[1]) best = [x, x - d];
  }
  return best;
}
