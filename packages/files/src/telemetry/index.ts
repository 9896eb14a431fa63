/**
 * Numbers and spans through the OpenTelemetry API: the application brings the SDK.
 *
 * Promises: without a provider nothing is recorded, and the cost is almost zero; no content of a session is recorded
 * unless `OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT` asks for it; of an error, only the code is recorded, not
 * the message.
 * Does not know: the names of rooms' metrics and spans, exporters.
 */

export {
  createMeter,
  type Measurement,
  type Meter,
  type Metric,
  type Observation,
  observed,
  onMeasurement,
} from "./meter.ts";
export {
  type Attributes,
  inRemoteSpan,
  inSpan,
  type OpenSpan,
  openSpan,
  recordSpan,
  type SpanOptions,
} from "./spans.ts";
