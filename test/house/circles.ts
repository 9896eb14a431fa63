/** Finds files that import each other in a loop. Types and late imports count too. */

import type { SourceFile } from "./imports.ts";

/**
 * The files of each loop, each loop once (Tarjan's strongly connected components).
 */
export function circlesIn(files: readonly SourceFile[]): string[][] {
  const targets = new Map(
    files.map(({ path, imports }) => [path, imports.flatMap(({ local, target }) => (local ? [target] : []))]),
  );
  const order = new Map<string, number>();
  const open: string[] = [];
  const circles: string[][] = [];
  const visit = (path: string): number => {
    let low = order.size;
    order.set(path, low);
    open.push(path);
    for (const target of targets.get(path) ?? []) {
      if (!targets.has(target)) continue;
      if (!order.has(target)) low = Math.min(low, visit(target));
      else if (open.includes(target)) low = Math.min(low, order.get(target) ?? low);
    }
    if (low === order.get(path)) {
      const circle = open.splice(open.indexOf(path));
      if (circle.length > 1) circles.push(circle.sort());
    }
    return low;
  };
  for (const path of targets.keys()) if (!order.has(path)) visit(path);
  return circles;
}
