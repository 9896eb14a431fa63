/** Spans of Continuo's work, as children of the spans of the application. */

import type { Attributes, Span, Tracer } from "@opentelemetry/api";
import { registered } from "./globals.ts";

export type { Attributes } from "@opentelemetry/api";

export interface SpanOptions {
  /** `internal` by default. */
  readonly kind?: "internal" | "client" | "server";
  readonly attributes?: Attributes;
}

/** The functions with which work describes the span in which it runs. */
export interface SpanOfWork {
  setAttributes(attributes: Attributes): unknown;
  /** The code 2 means an error. */
  setStatus(status: { readonly code: 2 }): unknown;
  updateName(name: string): unknown;
}

/** `SpanKind` and `SpanStatusCode` of the API, whose package is not loaded. */
const KINDS = { internal: 0, server: 1, client: 2 } as const;
const FAILED = 2;

/** Used in place of a span if the program registered no provider. */
const UNRECORDED: SpanOfWork = {
  setAttributes: () => undefined,
  setStatus: () => undefined,
  updateName: () => undefined,
};

function tracer(): Tracer | undefined {
  return registered().trace?.getTracer("continuo");
}

/** Runs the work inside a span. An exception ends the span as failed, with the code of the error as `error.type`. */
export async function inSpan<Result>(
  name: string,
  { kind = "internal", attributes = {} }: SpanOptions,
  work: (span: SpanOfWork) => Promise<Result>,
): Promise<Result> {
  const recording = tracer();
  if (recording === undefined) return await work(UNRECORDED);
  return await recording.startActiveSpan(name, { kind: KINDS[kind], attributes }, async (span) => {
    try {
      return await work(span);
    } catch (error) {
      markFailed(span, error);
      throw error;
    } finally {
      span.end();
    }
  });
}

/** The same, as a child of the span that the headers of a request name. */
export async function inRemoteSpan<Result>(
  name: string,
  { headers, ...options }: SpanOptions & { readonly headers: Headers },
  work: (span: SpanOfWork) => Promise<Result>,
): Promise<Result> {
  const { context, propagation } = registered();
  const run = (): Promise<Result> => inSpan(name, options, work);
  // Without a context manager, no span is the child of another.
  if (context === undefined || propagation === undefined) return await run();
  const parent = propagation.extract(context.active(), headers, {
    get: (carrier: Headers, key) => carrier.get(key) ?? undefined,
    keys: (carrier: Headers) => [...carrier.keys()],
  });
  return await context.with(parent, run);
}

/** A span that is ended by other code. Spans of the work inside become children of the surrounding span. */
export interface OpenSpan {
  set(attributes: Attributes): void;
  /** Idempotent. With an error, the span has failed. */
  end(error?: unknown): void;
}

export function openSpan(name: string, { kind = "internal", attributes = {} }: SpanOptions): OpenSpan {
  const span = tracer()?.startSpan(name, { kind: KINDS[kind], attributes });
  if (span === undefined) return { set: () => undefined, end: () => undefined };
  let isOpen = true;
  return {
    set: (more) => void span.setAttributes(more),
    end: (error) => {
      if (!isOpen) return;
      isOpen = false;
      if (error !== undefined) markFailed(span, error);
      span.end();
    },
  };
}

/** Work that has ended, with its times in milliseconds of `performance.now()`. */
interface EndedWork {
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  readonly attributes: Attributes;
  /** If there is an error, the work has failed. */
  readonly error?: unknown;
}

/**
 * Records a span for work that has ended, so that a caller can record only the work that matters. The parent is the
 * span in which the caller runs.
 */
export function recordSpan(name: string, { startedAtMs, endedAtMs, attributes, error }: EndedWork): void {
  const span = tracer()?.startSpan(name, { attributes, startTime: startedAtMs });
  if (span === undefined) return;
  if (error !== undefined) markFailed(span, error);
  span.end(endedAtMs);
}

function markFailed(span: Span, error: unknown): void {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  span.setAttribute("error.type", typeof code === "string" ? code : "_OTHER");
  span.setStatus({ code: FAILED });
}
