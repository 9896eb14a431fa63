/** Alternating rounds, and their report. */

export interface Contender {
  readonly name: string;
  /** Runs one round; returns the number of operations. */
  run(): Promise<number>;
}

export interface ContenderRate {
  readonly name: string;
  /** The operations per second, as the median of the rounds. */
  readonly rate: number;
}

/**
 * The order is A B C A B C …, so that changes of the machine's speed affect all alike. The first round of each does not
 * count.
 */
export async function inTurn(
  contenders: readonly Contender[],
  rounds: number,
): Promise<readonly ContenderRate[]> {
  const rates = contenders.map((): number[] => []);
  for (let round = -1; round < rounds; round++) {
    for (const [index, contender] of contenders.entries()) {
      const start = performance.now();
      const count = await contender.run();
      if (round >= 0) rates[index]?.push((count / (performance.now() - start)) * 1000);
    }
  }
  return contenders.map(({ name }, index) => ({ name, rate: quantile(rates[index] ?? [], 0.5) }));
}

export function quantile(values: readonly number[], q: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN;
}

export function rateOf(sampled: readonly ContenderRate[], name: string): number {
  return sampled.find((one) => one.name === name)?.rate ?? Number.NaN;
}

export function printRates(title: string, what: string, sampled: readonly ContenderRate[]): void {
  console.log(`\n${title}`);
  for (const { name, rate } of sampled) {
    console.log(`  ${name.padEnd(44)} ${Math.round(rate).toLocaleString("en").padStart(12)} ${what}/s`);
  }
}

/** Milliseconds with two digits. */
export function ms(value: number): string {
  return `${value.toFixed(2)} ms`;
}

export function peakMegabytes(): string {
  return `${Math.round(process.resourceUsage().maxRSS / 1000)} MB`;
}
