/**
 * The providers that the program registered with the API of OpenTelemetry, found without loading that package: every
 * program that imports the library would load its fifty modules, and most register nothing.
 */

import type { ContextManager, MeterProvider, TextMapPropagator, TracerProvider } from "@opentelemetry/api";

export interface Registered {
  readonly trace?: TracerProvider;
  readonly metrics?: MeterProvider;
  readonly context?: ContextManager;
  readonly propagation?: TextMapPropagator;
}

/** The copies of the package in a process, of any version 1.x, find each other's providers under it. */
const KEY = Symbol.for("opentelemetry.js.api.1");
const NOTHING: Registered = {};

/** Those of this moment: a program may register or replace a provider at any time. */
export function registered(): Registered {
  const found: Registered | undefined = Reflect.get(globalThis, KEY);
  return found ?? NOTHING;
}
