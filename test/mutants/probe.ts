/** Probes tell which test files run a function: one statement at its beginning that appends a line to a file. */

import { type Node, parse, visit } from "./syntax.ts";

interface Body {
  readonly start: number;
  readonly end: number;
  /** True for a block; an arrow function may have an expression. */
  readonly block: boolean;
}

/** The source with a probe in the innermost function around each place, or in every function for a place outside of all. */
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

/** An expression that appends the test file that runs and the name to the file, once. Nothing in other processes. */
export function probe(file: string, name: string): string {
  const test = "globalThis.__vitest_worker__?.filepath";
  const line = `${test}+${JSON.stringify(`\t${name}\n`)}`;
  // A function may have a `process` of its own.
  const append = `globalThis.process.getBuiltinModule("node:fs").appendFileSync(${JSON.stringify(file)},${line})`;
  return `(${test}&&((globalThis.mutantsReached??={})[${line}]??=(${append},1)))`;
}
