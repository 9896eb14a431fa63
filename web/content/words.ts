/** Numbers, times and names in the form that a reader sees. */

import { AGENT_LABELS } from "@continuo/core/model";

const NAMES: Readonly<Record<string, string>> = { ...AGENT_LABELS, continuo: "Continuo" };

export function agentName(agent: string): string {
  return NAMES[agent] ?? agent;
}

const CLOCK = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const DAY = new Intl.DateTimeFormat("en-GB", { weekday: "long", day: "numeric", month: "long" });
const YEAR = new Intl.DateTimeFormat("en-GB", {
  weekday: "long",
  day: "numeric",
  month: "long",
  year: "numeric",
});
const SHORT = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" });

export function clock(time: string | null): string {
  return time === null ? "" : CLOCK.format(new Date(time));
}

export function dayName(time: string | null, now: Date): string {
  if (time === null) return "Without a date";
  const date = new Date(time);
  const days = Math.round((midnight(now) - midnight(date)) / 86_400_000);
  if (days === 0) return "Today";
  if (days === 1) return "Yesterday";
  return date.getFullYear() === now.getFullYear() ? DAY.format(date) : YEAR.format(date);
}

function midnight(date: Date): number {
  return new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
}

export function dateAndClock(time: string | null): string {
  return time === null ? "" : `${SHORT.format(new Date(time))}, ${clock(time)}`;
}

export function tokens(count: number): string {
  if (count < 1_000) return String(count);
  if (count < 1_000_000) return `${short(count / 1_000)}k`;
  if (count < 1_000_000_000) return `${short(count / 1_000_000)}M`;
  return `${short(count / 1_000_000_000)}B`;
}

function short(value: number): string {
  return value < 10 ? value.toFixed(1).replace(/\.0$/u, "") : String(Math.round(value));
}

const CENTS = new Intl.NumberFormat("en", { minimumFractionDigits: 2, maximumFractionDigits: 2 });

export function cost(usd: number): string {
  if (usd === 0) return "$0";
  return usd < 0.01 ? "<$0.01" : `$${CENTS.format(usd)}`;
}

export function bytes(count: number): string {
  if (count < 1_000) return `${count} B`;
  if (count < 1_000_000) return `${short(count / 1_000)} kB`;
  return `${short(count / 1_000_000)} MB`;
}

export function duration(from: string | null, to: string | null): string {
  if (from === null || to === null) return "";
  const seconds = Math.round((Date.parse(to) - Date.parse(from)) / 1_000);
  if (!(seconds > 0)) return "";
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3_600)} h ${Math.floor((seconds % 3_600) / 60)} min`;
}

export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
}

/** `~/code/shop` of a folder in a home. */
export function shortFolder(cwd: string): string {
  return cwd.replace(/^\/(?:home|Users)\/[^/]+/u, "~");
}
