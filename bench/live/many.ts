/**
 * The number of sessions that one server can have at once: each receives speech every second, and its notes are
 * extractive.
 */

import { setTimeout as pause } from "node:timers/promises";
import type { Store } from "@continuo/core/model";
import { type EvidenceBatch, LiveService } from "@continuo/live";
import { quantile } from "../store/sampling.ts";

const SECONDS = 20;
export const EVERY_MS = 1_000;

/** Returns the batch that a page sends in the second `sequence` of a talk. */
export function sentence(sequence: number): EvidenceBatch {
  const text = `sentence ${sequence} of the talk`;
  const evidence = [
    { type: "transcript_added", text, mediaTimeMs: sequence * EVERY_MS, lang: "en" },
  ] as const;
  return { producerId: "page", epoch: 0, sequence, evidence };
}

export interface ManySessions {
  readonly sessions: number;
  /** Processor time of a piece of evidence, with its notes. */
  readonly cpuMs: number;
  /** The time until a piece of evidence is acknowledged. */
  readonly p99Ms: number;
}

export async function manySessions(
  store: Store,
  counts: readonly number[],
): Promise<readonly ManySessions[]> {
  const measured: ManySessions[] = [];
  console.log(
    `\nSessions of one server, each with a transcript every ${EVERY_MS / 1_000} s, for ${SECONDS} s`,
  );
  for (const count of counts) {
    const service = new LiveService({ store });
    await service.start();
    const keys = Array.from({ length: count }, (_, n) => `${count} sessions, ${n}`);
    for (const key of keys) await service.open(key, { videoId: key });
    const cpu = process.cpuUsage();
    const began = performance.now();
    const ms: number[] = [];
    await Promise.all(
      keys.map((key, n) => speak(service, key, { delayMs: (n / count) * EVERY_MS, began, ms })),
    );
    const { user, system } = process.cpuUsage(cpu);
    const cpuMs = (user + system) / 1_000;
    const share = cpuMs / (performance.now() - began);
    measured.push({ sessions: count, cpuMs: cpuMs / ms.length, p99Ms: quantile(ms, 0.99) });
    const depth = (await Promise.all(keys.map((key) => service.session(key)))).map((one) => one.depth);
    console.log(
      `  ${String(count).padStart(5)} sessions: acknowledged after ${quantile(ms, 0.5).toFixed(1)} ms, p99 ${quantile(ms, 0.99).toFixed(1)} ms; ${share.toFixed(2)} of a core; depth at most ${Math.max(...depth)}`,
    );
    await service.stop();
  }
  return measured;
}

interface Speech {
  readonly delayMs: number;
  readonly began: number;
  readonly ms: number[];
}

async function speak(service: LiveService, key: string, { delayMs, began, ms }: Speech): Promise<void> {
  await pause(delayMs);
  for (let sequence = 0; performance.now() - began < SECONDS * 1_000; sequence++) {
    const asked = performance.now();
    await service.accept(key, sentence(sequence));
    ms.push(performance.now() - asked);
    await pause(Math.max(0, EVERY_MS - (performance.now() - asked)));
  }
}
