/**
 * Probes show which test files run a function: each is one statement at its beginning that appends a line to a file.
 */

import { type Node, parse, visit } from "./syntax.ts";

interface Body {
  readonly start: number;
  readonly end: number;
  /** True for a block; the body of an arrow function may be an expression. */
  readonly block: boolean;
}

/**
 * Returns the source with a probe in the innermost function around each place. For a place outside of all functions,
 * every function gets a probe.
 */
export function withProbes(
  source: string,
  places: readonly number[],
  probeOf: (place: number) => string,
): string {
  const bodies = bodiesIn(source);
  const probes = new Map<Body, string[]>();
  for (const place of places) {
    const around = bodies.filter(({ start, end }) => start <= place && place < end);
    const innermost = around.toSorted((a, b) => a.end - a.start - (b.end - b.start)).slice(0, 1);
    for (const body of innermost.length > 0 ? innermost : bodies) {
      probes.set(body, [...(probes.get(body) ?? []), probeOf(place)]);
    }
  }
  const pieces = [...probes].flatMap(([{ start, end, block }, all]) =>
    block
      ? [{ at: start + 1, text: `${all.join(";")};` }]
      : [
          { at: start, text: `(${all.join(",")},` },
          { at: end, text: ")" },
        ],
  );
  return pieces
    .sort((a, b) => b.at - a.at)
    .reduce((text, piece) => text.slice(0, piece.at) + piece.text + text.slice(piece.at), source);
}

function bodiesIn(source: string): readonly Body[] {
  const found: Body[] = [];
  visit(parse(source), (node) => {
    if (!/Function/u.test(node.type)) return;
    const { type, start, end } = (node.body ?? node) as Node;
    // Overloads have no body.
    if (node.body) found.push({ start, end, block: type === "FunctionBody" || type === "BlockStatement" });
  });
  return found;
}

/**
 * Returns an expression that appends the running test file and the name to the file, once. It does nothing in other
 * processes.
 */
export function probe(file: string, name: string): string {
  const test = "globalThis.__vitest_worker__?.filepath";
  const line = `${test}+${JSON.stringify(`\t${name}\n`)}`;
  // The function may have a variable named `process`.
  const append = `globalThis.process.getBuiltinModule("node:fs").appendFileSync(${JSON.stringify(file)},${line})`;
  return `(${test}&&((globalThis.mutantsReached??={})[${line}]??=(${append},1)))`;
}
