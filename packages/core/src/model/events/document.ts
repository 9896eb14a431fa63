/** `docs/events.md`, made from the table of event types; a test keeps the two equal. */

import { FIELD_KINDS } from "./fields.ts";
import type { EventKind } from "./table.ts";
import { EVENT_KINDS } from "./types.ts";

const INTRODUCTION = `# Event types

Generated from \`packages/core/src/model/events/table.ts\` by \`npx vitest run packages/core/src/model/events -u\`; a test
fails when they differ.

Every event has \`logId, sequence, id, type, actor, occurredAt, recordedAt, retention, data, payloadHash, chainHash\`
and, where it applies, \`parentId, runId, blobs, salt, invalid, pruned\`. \`actor\` is
\`{ kind: "person" | "agent" | "system", id?, agent? }\`. \`retention\` says whether the payload may be pruned:
\`supplementary\` yes, \`critical\` no. This page lists what \`data\` holds for
each type. A key with \`?\` may be absent; further keys are free and kept. snake_case spellings of the keys are
accepted, and \`tool_use_id\` and \`call_id\` for \`toolCallId\`.

- A type that is not listed is kept as it is, and its retention is \`critical\`.
- A listed type whose payload is not as listed is stored, and marked: \`invalid\` says why.
- An event without a type or without data is refused (\`invalid\`).

What the transcript makes of an event: **message** a message of the role; **chunk** a part of a streamed
message; **tool** a tool message, or a call in the assistant's message; **usage** and **state** fields of the
transcript's metadata; **note** a remark that the model sees; **nothing** is left out of the transcript, not of
the log.
`;

export function eventsDocument(): string {
  const rows = Object.entries(EVENT_KINDS);
  const areas = [...new Set(rows.map(([, row]) => row.area))];
  return [INTRODUCTION, ...areas.map((area) => section(area, rows))].join("\n");
}

function section(area: string, rows: readonly (readonly [string, EventKind])[]): string {
  const lines = rows
    .filter(([, row]) => row.area === area)
    .map(
      ([type, row]) => `| \`${type}\` | ${row.says} | ${keys(type, row)} | ${row.retention} | ${use(row)} |`,
    );
  return [
    `## ${area}`,
    "",
    "| type | what it says | data | retention | transcript |",
    "|---|---|---|---|---|",
    ...lines,
    "",
  ].join("\n");
}

function keys(type: string, row: EventKind): string {
  const parts = Object.entries(row.payload).map(([key, kind]) => `\`${key}\` ${FIELD_KINDS[kind].name}`);
  if (parts.length > 0) return parts.join(", ");
  return type === "bytes" ? "bytes" : "no key";
}

function use(row: EventKind): string {
  return row.role === undefined ? row.transcript : `${row.transcript}, ${row.role}`;
}
