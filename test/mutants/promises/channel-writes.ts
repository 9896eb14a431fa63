/** More promises of `packages/store/src/channels/`: fences, records and pages, each with a mistake that breaks it. */

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are pieces of source files

import type { PromiseOfRoom } from "./promise.ts";

export const CHANNEL_WRITES: readonly PromiseOfRoom[] = [
  {
    promise: "A late reader gets no words of a message that was deleted in the part that is left out.",
    file: "packages/store/src/channels/replay.ts",
    text: "after < upTo ? await deletedAfter(store, channel, after) : new Set<string>()",
    mistake: "after < upTo ? await deletedAfter(store, channel, wholeAfter) : new Set<string>()",
    test: "packages/store/src/channels/message-changes.test.ts",
  },
  {
    promise: "An interrupted run says why.",
    file: "packages/store/src/channels/claims.ts",
    text: "patch: { error } }],",
    mistake: "patch: {} }],",
    test: "packages/store/src/channels/claims.test.ts",
  },
  {
    promise: "A reader collects messages only up to the moment of its connection.",
    file: "packages/store/src/channels/replay.ts",
    text: '    before: upTo + 1,\n    types: ["message_sent"],\n    order',
    mistake: '    types: ["message_sent"],\n    order',
    test: "packages/store/src/channels/late-reader.test.ts",
  },
  {
    promise: "The fields of a frame are checked.",
    file: "packages/store/src/channels/frame-checks.ts",
    text: "  parseClientFrame(JSON.stringify({ ...toFrame(data), request: 0, id }));\n",
    mistake: "",
    test: "packages/store/src/channels/frame-checks.test.ts",
  },
  {
    promise: "Writes of a claim are fenced.",
    file: "packages/store/src/channels/claims.ts",
    text: "await store.append(participantSession(place), events, { lease: fence, also });\n  const run",
    mistake: "await store.append(participantSession(place), events, { also });\n  const run",
    test: "packages/store/src/channels/claims.test.ts",
  },
  {
    promise: "A message that was in progress at the end of the replay comes with its parts.",
    file: "packages/store/src/channels/replay.ts",
    text: 'state === "open" && !open.has(event.id)',
    mistake: 'state === "open"',
    test: "packages/store/src/channels/late-reader.test.ts",
  },
  {
    promise: "A type that is a name which every object has is no frame.",
    file: "packages/store/src/channels/frame-checks.ts",
    text: "Object.hasOwn(FRAMES, type) ? FRAMES[type] : undefined",
    mistake: "FRAMES[type]",
    test: "packages/store/src/channels/frame-checks.test.ts",
  },
  {
    promise: "The end of a run is fenced.",
    file: "packages/store/src/channels/claims.ts",
    text: "await store.append(sessionId, events, { lease: fence, also });",
    mistake: "await store.append(sessionId, events, { also });",
    test: "packages/store/src/channels/claims.test.ts",
  },
  {
    promise: "All pages of the addressed events are read.",
    file: "packages/store/src/channels/replay.ts",
    text: "    after = page.nextAfter;\n  }\n}\n\nconst PAGE",
    mistake: "    after = null;\n  }\n}\n\nconst PAGE",
    test: "packages/store/src/channels/late-reader.test.ts",
  },
  {
    promise: "An input that is left unanswered is recorded once.",
    file: "packages/store/src/channels/claims.ts",
    text: "id: `given-up:${handle}:${sequence}`",
    mistake: "id: `given-up:${handle}:${sequence}:${Date.now()}-${Math.random()}`",
    test: "packages/store/src/channels/claims.test.ts",
  },
  {
    promise: "Parts of a message that may still be open are sent.",
    file: "packages/store/src/channels/replay.ts",
    text: "!open.has(messageId) && (knownAfter === 0 || ended.has(messageId))",
    mistake: "!open.has(messageId)",
    test: "packages/store/src/channels/late-reader.test.ts",
  },
  {
    promise: "The input of an attempt says who wrote it.",
    file: "packages/store/src/channels/claims.ts",
    text: 'const actor = { kind: "person", id: from } as const;',
    mistake: 'const actor = { kind: "person", id: place.handle } as const;',
    test: "packages/store/src/channels/claims.test.ts",
  },
  {
    promise: "Lines of the channel come only on request.",
    file: "packages/store/src/channels/read-messages.ts",
    text: 'notices ? ["message_sent", "error_raised"] : ["message_sent"]',
    mistake: '["message_sent", "error_raised"]',
    test: "packages/store/src/channels/late-reader.test.ts",
  },
  {
    promise: "An answer is stored as the agent's.",
    file: "packages/store/src/channels/claims.ts",
    text: 'const actor = { kind: "agent", id: place.handle } as const;',
    mistake: 'const actor = { kind: "person", id: place.handle } as const;',
    test: "packages/store/src/channels/claims.test.ts",
  },
  {
    promise: "A message longer than a window is shown alone.",
    file: "packages/store/src/channels/read-messages.ts",
    text: "length > LIMITS.windowLength && first < messages.length",
    mistake: "length > LIMITS.windowLength",
    test: "packages/store/src/channels/late-reader.test.ts",
  },
  {
    promise: "The count of turns goes on over pages.",
    file: "packages/store/src/channels/agent-turns.ts",
    text: "    before = page.nextAfter;\n",
    mistake: "    before = null;\n",
    test: "packages/store/src/channels/claims.test.ts",
  },
  {
    promise: "The record of a killed server for another token, whose digits begin alike, says nothing.",
    file: "packages/store/src/channels/holder-process.ts",
    text: "record.owner.startsWith(`${token}@`)",
    mistake: "record.owner.startsWith(`${token}`)",
    test: "packages/store/src/channels/lifecycle.test.ts",
  },
];
