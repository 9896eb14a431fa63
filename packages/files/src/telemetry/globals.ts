/**
 * The providers that the program registered with the API of OpenTelemetry, found without loading that package:
 * otherwise every program that imports the library would load the fifty modules of that package, and most programs
 * register nothing.
 */

import type { ContextManager, MeterProvider, TextMapPropagator, TracerProvider } from "@opentelemetry/api";

export interface TelemetryGlobals {
  readonly trace?: TracerProvider;
  readonly metrics?: MeterProvider;
  readonly context?: ContextManager;
  readonly propagation?: TextMapPropagator;
}

/** All copies of the package in a process, of any version 1.x, share their providers under this key. */
const KEY = Symbol.for("opentelemetry.js.api.1");
const NOTHING: TelemetryGlobals = {};

/** Returns the present providers: a program may register or replace a provider at any time. */
export function registered(): TelemetryGlobals {
  const found: TelemetryGlobals | undefined = Reflect.get(globalThis, KEY);
  return found ?? NOTHING;
}
