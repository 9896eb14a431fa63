/** Measures tasks alternately by the processor time of this process, which a busy machine changes little. */

export async function timeInTurn(
  rounds: number,
  tasks: Readonly<Record<string, () => Promise<void>>>,
): Promise<Record<string, number>> {
  const times = new Map(Object.keys(tasks).map((name): [string, number[]] => [name, []]));
  for (let round = 0; round <= rounds; round++) {
    for (const [name, task] of Object.entries(tasks)) {
      const started = process.cpuUsage();
      await task();
      const { user, system } = process.cpuUsage(started);
      // The first round warms up.
      if (round > 0) times.get(name)?.push((user + system) / 1000);
    }
  }
  return Object.fromEntries([...times].map(([name, all]) => [name, median(all)]));
}

export function median(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN;
}
