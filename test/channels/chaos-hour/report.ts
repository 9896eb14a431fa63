/** The report of an hour of chaos: a JSON, and one line of it. */

import type { HourOptions } from "./conductor.ts";
import type { NewcomerReport } from "./newcomers.ts";
import type { ProbeReport } from "./prober.ts";

export interface Findings {
  readonly options: Pick<HourOptions, "storeUrl" | "servers" | "minutes" | "seed" | "longMessages">;
  readonly violations: readonly string[];
  readonly ended: readonly string[];
  readonly failed: readonly string[];
  readonly messages: number;
  readonly answers: number;
  readonly deliveries: number;
  readonly participants: number;
  readonly sendMs: readonly number[];
  readonly newcomers: readonly NewcomerReport[];
  readonly attacks: ReadonlyMap<string, number>;
  readonly disturbances: ReadonlyMap<string, number>;
  /** The probes that were made while the server was neither killed nor stopped. */
  readonly probes: readonly ProbeReport[];
  readonly excludedProbes: number;
  readonly loads: readonly number[];
  readonly peakMiB: readonly number[];
}

/** Times are milliseconds. */
export interface Report {
  readonly engine: "postgres" | "sqlite";
  readonly servers: number;
  readonly minutes: number;
  readonly seed: number;
  readonly participants: number;
  readonly messages: number;
  readonly deliveries: number;
  readonly answers: number;
  readonly wrong: Readonly<
    Record<"lost" | "doubled" | "reordered" | "answeredTwice" | "unanswered" | "other", number>
  >;
  /** Participants that did not come back. */
  readonly ended: number;
  readonly disturbances: Readonly<Record<string, number>>;
  readonly attacks: Readonly<Record<string, number>>;
  readonly newcomers: Readonly<Record<string, Spread & { readonly failed: number }>>;
  readonly healthz: Spread & { readonly unanswered: number; readonly excluded: number };
  /** The delay of the prober's timer, which the machine adds to each answer. */
  readonly lateness: Spread;
  readonly send: Spread;
  readonly peakMiB: readonly number[];
  readonly load: { readonly mean: number; readonly most: number };
  readonly failures: readonly string[];
}

export interface Spread {
  readonly count: number;
  readonly median: number;
  readonly p99: number;
  readonly most: number;
}

/** Each kind of mistake, recognized by the words of the checker. */
const KINDS = {
  lost: /is lost|was not given/u,
  doubled: /in the log twice|was stored twice/u,
  reordered: /was given \d+ after/u,
  answeredTwice: /gave (?:[2-9]|\d\d+) whole answers/u,
  unanswered: /gave 0 whole answers/u,
} as const;

export function reportOf(findings: Findings): Report {
  const { options, violations, ended, failed, probes, loads } = findings;
  const isKind = (kind: RegExp) => (line: string) => kind.test(line);
  const counts = Object.entries(KINDS).map(([kind, words]) => [
    kind,
    violations.filter(isKind(words)).length,
  ]);
  const others = violations.filter((line) => !Object.values(KINDS).some((kind) => kind.test(line)));
  const failedNewcomers = findings.newcomers.filter(({ failure }) => failure !== undefined);
  const answered = probes.filter(({ isAnswered }) => isAnswered);
  return {
    engine: options.storeUrl.startsWith("sqlite:") ? "sqlite" : "postgres",
    servers: options.servers,
    minutes: options.minutes,
    seed: options.seed,
    participants: findings.participants,
    messages: findings.messages,
    deliveries: findings.deliveries,
    answers: findings.answers,
    wrong: { ...Object.fromEntries(counts), other: others.length + failed.length + failedNewcomers.length },
    ended: ended.length,
    disturbances: Object.fromEntries(findings.disturbances),
    attacks: Object.fromEntries(findings.attacks),
    newcomers: newcomersOf(findings.newcomers),
    healthz: {
      ...spreadOf(answered.map(({ ms }) => ms)),
      unanswered: probes.length - answered.length,
      excluded: findings.excludedProbes,
    },
    lateness: spreadOf(probes.map(({ lateMs }) => lateMs)),
    send: spreadOf(findings.sendMs),
    peakMiB: findings.peakMiB,
    load: {
      mean: rounded(loads.reduce((sum, load) => sum + load, 0) / Math.max(1, loads.length)),
      most: rounded(Math.max(0, ...loads)),
    },
    failures: [
      ...violations,
      ...ended.map((line) => `ended: ${line}`),
      ...failed,
      ...failedNewcomers.map(({ mode, failure }) => `newcomer (${mode}): ${failure}`),
    ],
  };
}

/** This line is for people and for the table of `docs/proof.md`. */
export function summaryOf(report: Report): string {
  const { wrong, healthz, disturbances } = report;
  const count = (n: number, what: string): string => `${n.toLocaleString("en")} ${what}`;
  return [
    `${report.minutes} minutes on ${report.engine}: ${count(report.messages, "messages")}`,
    count(report.deliveries, "deliveries"),
    count(report.answers, "answers"),
    ...Object.entries(disturbances).map(([what, n]) => count(n, what)),
    count(
      Object.values(report.attacks).reduce((sum, n) => sum + n, 0),
      "attacks",
    ),
    count(
      Object.values(report.newcomers).reduce((sum, { count: n }) => sum + n, 0),
      "newcomers",
    ),
    `lost ${wrong.lost}, doubled ${wrong.doubled}, reordered ${wrong.reordered}`,
    `answered twice ${wrong.answeredTwice}, unanswered ${wrong.unanswered}, ended for ever ${report.ended}`,
    `healthz p99 ${healthz.p99} ms (the machine is ${report.lateness.p99} ms late, load ${report.load.mean})`,
    `peak memory ${Math.max(...report.peakMiB)} MiB`,
  ].join(", ");
}

function newcomersOf(all: readonly NewcomerReport[]): Report["newcomers"] {
  const modes = [...new Set(all.map(({ mode }) => mode))].sort();
  return Object.fromEntries(
    modes.map((mode) => {
      const own = all.filter((one) => one.mode === mode);
      const read = own.filter(({ failure }) => failure === undefined);
      return [mode, { ...spreadOf(read.map(({ readMs }) => readMs)), failed: own.length - read.length }];
    }),
  );
}

function spreadOf(values: readonly number[]): Spread {
  return {
    count: values.length,
    median: rounded(percentile(values, 50)),
    p99: rounded(percentile(values, 99)),
    most: rounded(values.reduce((most, value) => Math.max(most, value), 0)),
  };
}

export function percentile(values: readonly number[], percent: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? 0;
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
