/**
 * Replaces every known secret in texts and JSON values by a text such as `[masked: GitHub token]`, and counts the
 * secrets.
 */

import type { AuditEntry } from "../../model/index.ts";
import type { SecretFamily } from "./family.ts";
import { FORMS_OF_SECRETS, SECRET_NAME } from "./forms.ts";
import { VENDOR_SECRETS } from "./vendors.ts";

/** The order matters: the form of one vendor is tried before a form that several vendors use. */
const FAMILIES: readonly SecretFamily[] = [...VENDOR_SECRETS, ...FORMS_OF_SECRETS];

/** The number of masked secrets of each family, by its name. */
export type SecretCounts = Readonly<Record<string, number>>;

export interface MaskedValue<T> {
  readonly value: T;
  readonly found: SecretCounts;
}

/**
 * Masks a text, or every text and key within a JSON value, such as a `Message`. Content deeper than 1,000 levels is
 * left out.
 */
export function maskSecrets<T>(value: T): MaskedValue<T> {
  const counts = new Map<string, number>();
  const masked = maskValue(value, counts, 0) as T;
  return { value: masked, found: Object.fromEntries(counts) };
}

/** Masks the texts that others gave to an entry of the audit log; the actor and the id of a token are not secrets. */
export function maskAuditEntry(entry: AuditEntry): AuditEntry {
  const { target, details } = entry;
  return { ...entry, ...maskSecrets({ target, details }).value };
}

export function sumSecrets(...all: readonly SecretCounts[]): SecretCounts {
  const sum = new Map<string, number>();
  for (const found of all) {
    for (const [name, count] of Object.entries(found)) sum.set(name, (sum.get(name) ?? 0) + count);
  }
  return Object.fromEntries(sum);
}

const MAX_DEPTH = 1_000;

function maskValue(value: unknown, counts: Map<string, number>, depth: number): unknown {
  if (typeof value === "string") return maskText(value, counts);
  if (typeof value !== "object" || value === null) return value;
  if (depth > MAX_DEPTH) return null;
  if (Array.isArray(value)) return value.map((item) => maskValue(item, counts, depth + 1));
  const entries = new Map<string, unknown>();
  for (const [key, inner] of Object.entries(value)) {
    const name = maskText(key, counts);
    const masked = maskValue(inner, counts, depth + 1);
    const isAsItWas = typeof inner === "string" && masked === inner;
    entries.set(freeName(name, entries), isAsItWas ? maskNamed(name, inner, counts) : masked);
  }
  return Object.fromEntries(entries);
}

/** In `{ "apiKey": "…" }` the name and the secret are two strings; the text `apiKey: …` is one. */
function maskNamed(name: string, text: string, counts: Map<string, number>): string {
  if (!SECRET_NAME.test(name)) return text;
  const before = `${name}: `;
  const masked = maskText(before + text, counts);
  return masked.startsWith(before) ? masked.slice(before.length) : text;
}

/** Two keys with secrets stay two different keys after they are masked. */
function freeName(name: string, taken: ReadonlyMap<string, unknown>): string {
  if (!taken.has(name)) return name;
  let number = 2;
  while (taken.has(`${name} ${number}`)) number += 1;
  return `${name} ${number}`;
}

function maskText(text: string, counts: Map<string, number>): string {
  let masked = text;
  for (const family of FAMILIES) {
    if (family.hints !== undefined && !family.hints.some((hint) => masked.includes(hint))) continue;
    masked = maskFamily(masked, family, counts);
  }
  return masked;
}

function maskFamily(
  text: string,
  { name, pattern, isSecret }: SecretFamily,
  counts: Map<string, number>,
): string {
  return text.replace(pattern, (...parts: unknown[]) => {
    const match = String(parts[0]);
    const groups = parts.at(-1);
    const secret = hasSecret(groups) ? groups.secret : match;
    if (isSecret?.(secret) === false) return match;
    counts.set(name, (counts.get(name) ?? 0) + 1);
    const end = match.lastIndexOf(secret) + secret.length;
    return `${match.slice(0, end - secret.length)}[masked: ${name}]${match.slice(end)}`;
  });
}

function hasSecret(groups: unknown): groups is { readonly secret: string } {
  return (
    typeof groups === "object" && groups !== null && "secret" in groups && typeof groups.secret === "string"
  );
}
