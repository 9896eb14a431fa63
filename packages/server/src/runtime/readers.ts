/**
 * Readers over the network have sessions, but no rights on this machine. They do not receive hashes, or the folders,
 * files and processes that a session's log and its metadata name. For failures, they receive the words for people.
 * `events()` has all of this, for the program itself.
 */

import {
  canonicalJson,
  isEventType,
  type KnownEvent,
  type LogReader,
  type StoredEvent,
} from "@continuo/core/model";
import type { EventOf, IncludedTypes } from "./define-event.ts";
import { type FailureText, runErrorOf, wordsOf } from "./failure-text.ts";
import { isKnownEvent } from "./run-events.ts";

/** The keys of a session's metadata that name the native sessions of agents, with their files and folders. */
const REFERENCES: ReadonlySet<string> = new Set(["providerSessionId", "providerSessions"]);
const PLACES: ReadonlySet<string> = new Set(["cwd", "location"]);
const WITH_PLACES: ReadonlySet<string> = new Set([
  "session_created",
  "session_updated",
  "session_resumed",
  "session_handed_over",
]);

type Fields = Readonly<Record<string, unknown>>;

/** The metadata of the session without the places of native sessions. */
export function ownMetadata(metadata: Fields): Fields {
  return without(metadata, REFERENCES);
}

/** The keys under which Continuo sums up the runs of a session. */
const SUMS: ReadonlySet<string> = new Set(["usage", "model"]);

/** The metadata that the program gave the session, without everything that Continuo adds. */
export function callerMetadata(metadata: Fields): Fields {
  return without(ownMetadata(metadata), SUMS);
}

/** True if the metadata have these values. */
export function hasMetadata(metadata: Fields, values: Fields): boolean {
  return Object.entries(values).every(
    ([key, value]) => canonicalJson(metadata[key] ?? null) === canonicalJson(value ?? null),
  );
}

/** Converts the events of a stream, in their order, to the form that readers see. */
export function createReaderView(failureText: FailureText): (event: EventOf<IncludedTypes>) => Fields {
  const toReader = createWords(failureText);
  return (event) => {
    // The program decides what its own events say.
    const known = isEventType(event.type) ? toReader(event as KnownEvent) : event;
    const { payloadHash: _, chainHash: __, actor, ...seen } = known;
    // The id of the system names a process of this machine, and so does the owner of a run.
    const { id, ...kind } = actor;
    return { ...seen, actor: actor.kind === "system" || id === undefined ? kind : actor };
  };
}

/** A session's log with the words for readers, from which a transcript for them is folded. */
export function readerLog(
  store: Pick<LogReader, "read" | "latestSequence">,
  failureText: FailureText,
): Pick<LogReader, "read" | "latestSequence"> {
  const toReader = createWords(failureText);
  const seen = (event: StoredEvent): StoredEvent => (isKnownEvent(event) ? toReader(event) : event);
  return {
    async read(logId, options) {
      const page = await store.read(logId, options);
      return { ...page, events: page.events.map(seen) };
    },
    latestSequence: (logId, options) => store.latestSequence(logId, options),
  };
}

function createWords(failureText: FailureText): (event: KnownEvent) => KnownEvent {
  const tools = new Map<string, string>();
  return (event) => {
    switch (event.type) {
      case "tool_call_started":
        tools.set(event.data.toolCallId, event.data.toolName);
        return event;
      case "tool_call_failed": {
        const { toolCallId, error, status: code = "error", toolName = tools.get(toolCallId) } = event.data;
        // A reader that came later may not have the call.
        const words = failureText({ code, message: wordsOf(error), toolName: toolName ?? "of this call" });
        return { ...event, data: { ...event.data, error: words } };
      }
      case "tool_call_updated": {
        // Some agents report the error of a call before its end.
        if (event.data.status !== "failed") return event;
        const { content: _, ...data } = event.data;
        return { ...event, data };
      }
      // The program of an agent says here what it finds worth reporting, in words of its own.
      case "diagnostics_reported":
        return { ...event, data: {} };
      case "mode_changed": {
        // The descriptions of tools are words for the model, as instructions are.
        const { tools: _, toolsLeftOut: __, ...data } = event.data;
        return { ...event, data };
      }
      case "session_resumed": {
        // The reason quotes the error of the agent.
        const { reason: _, ...data } = event.data;
        return withoutPlaces({ ...event, data });
      }
      case "run_failed": {
        const error = runErrorOf(event.data.error);
        return {
          ...event,
          data: { ...event.data, error: { code: error.code, message: failureText(error) } },
        };
      }
      case "error_raised": {
        const { details: _, message, code = "agent_failed", ...rest } = event.data;
        return { ...event, data: { ...rest, code, message: failureText({ code, message }) } };
      }
      case "run_started": {
        const { owner: _, ...data } = event.data;
        return { ...event, data };
      }
      default:
        return withoutPlaces(event);
    }
  };
}

function withoutPlaces(event: KnownEvent): KnownEvent {
  if (!WITH_PLACES.has(event.type)) return event;
  const fields = Object.entries(without(event.data as Fields, PLACES)).map(([name, value]) => {
    if (!isFields(value)) return [name, value];
    return [name, name === "metadata" ? ownMetadata(value) : without(value, PLACES)];
  });
  return { ...event, data: Object.fromEntries(fields) } as KnownEvent;
}

function without(fields: Fields, names: ReadonlySet<string>): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.has(name)));
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
