/** Spans of what Continuo does, as children of the application's own. */

import {
  type Attributes,
  context,
  propagation,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from "@opentelemetry/api";

export type { Attributes } from "@opentelemetry/api";

export interface SpanOptions {
  /** `internal` by default. */
  readonly kind?: "internal" | "client" | "server";
  readonly attributes?: Attributes;
}

const KINDS = { internal: SpanKind.INTERNAL, client: SpanKind.CLIENT, server: SpanKind.SERVER } as const;

function tracer(): Tracer {
  return trace.getTracer("continuo");
}

/** A span around the work. An exception ends it as failed, with the code of the error as `error.type`. */
export async function inSpan<Result>(
  name: string,
  { kind = "internal", attributes = {} }: SpanOptions,
  work: (span: Span) => Promise<Result>,
): Promise<Result> {
  return await tracer().startActiveSpan(name, { kind: KINDS[kind], attributes }, async (span) => {
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
  work: (span: Span) => Promise<Result>,
): Promise<Result> {
  const parent = propagation.extract(context.active(), headers, {
    get: (carrier, key) => carrier.get(key) ?? undefined,
    keys: (carrier) => [...carrier.keys()],
  });
  return await context.with(parent, () => inSpan(name, options, work));
}

/** A span whose end is seen elsewhere. Its children are those of the span around it. */
export interface OpenSpan {
  set(attributes: Attributes): void;
  /** Idempotent. With an error it has failed. */
  end(error?: unknown): void;
}

export function openSpan(name: string, { kind = "internal", attributes = {} }: SpanOptions): OpenSpan {
  const span = tracer().startSpan(name, { kind: KINDS[kind], attributes });
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

function markFailed(span: Span, error: unknown): void {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  span.setAttribute("error.type", typeof code === "string" ? code : "_OTHER");
  span.setStatus({ code: SpanStatusCode.ERROR });
}
