/**
 * The forms of the fields in the records of a session. Copilot refuses the whole file for one field of another form, or
 * for a record without a field that it needs: `schemas/session-events.schema.json`, which 1.0.102 unpacks, and each field of
 * `data` tried in a session that 1.0.102 loaded. Records of other types are not checked. Pure.
 */

import { entryOf, isJson, type Json } from "@continuo/files";

/**
 * Names of fields, separated by spaces. A record needs the fields with an exclamation mark; the others may be `null`.
 */
interface Shape {
  readonly texts?: string;
  readonly numbers?: string;
  /** Whole numbers from 0. */
  readonly wholes?: string;
  readonly flags?: string;
  readonly lists?: string;
  /** Lists of texts. */
  readonly names?: string;
  readonly objects?: string;
  /** Objects of whole numbers. */
  readonly counts?: string;
  /** Objects, and lists of objects, that a record does not need, and in which every name must be known. */
  readonly closed?: string;
  /** The shapes of objects, of the objects in lists, and of the objects under any names in an object. */
  readonly parts?: Readonly<Record<string, Shape>>;
  readonly items?: Readonly<Record<string, Shape>>;
  readonly values?: Readonly<Record<string, Shape>>;
}

type Form = "texts" | "numbers" | "wholes" | "flags" | "lists" | "names" | "objects" | "counts";

const FORMS: Readonly<Record<Form, readonly [words: string, fits: (value: unknown) => boolean]>> = {
  texts: ["is no text", (value) => typeof value === "string"],
  numbers: ["is no number", (value) => typeof value === "number"],
  wholes: ["is no whole number", isWhole],
  flags: ["is neither true nor false", (value) => typeof value === "boolean"],
  lists: ["is no list", Array.isArray],
  names: [
    "is no list of texts",
    (value) => Array.isArray(value) && value.every((one) => typeof one === "string"),
  ],
  objects: ["is no object", isJson],
  counts: ["holds more than whole numbers", (value) => isJson(value) && Object.values(value).every(isWhole)],
};

function isWhole(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

/** Returns the first field that Copilot refuses, in words; `null` if there is none. */
export function fieldFlawOf(type: string, data: Json): string | null {
  const shape = entryOf(SHAPES, type);
  if (shape === undefined) return null;
  const flaw = flawIn(shape, data);
  if (flaw !== null) return flaw;
  const [name] = fieldsWithBrokenNames(shape, data);
  return name === undefined ? null : `a name in ${name} is damaged`;
}

export function hasShape(type: string): boolean {
  return Object.hasOwn(SHAPES, type);
}

/** The same without the fields of another form that a record does not need. */
export function withoutWrongFields(type: string, data: Json): Json {
  const shape = entryOf(SHAPES, type);
  if (shape === undefined) return data;
  const right = pruned(shape, data);
  const broken = new Set(fieldsWithBrokenNames(shape, right));
  return Object.fromEntries(Object.entries(right).filter(([name]) => !broken.has(name)));
}

/** Copilot refuses a session in which one of these objects has a name that it does not know: a flipped byte makes one. */
function fieldsWithBrokenNames({ closed = "" }: Shape, data: Json): readonly string[] {
  return closed.split(" ").filter((name) => hasBrokenName(data[name]));
}

function hasBrokenName(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hasBrokenName);
  if (!isJson(value)) return false;
  return Object.entries(value).some(([name, field]) => isBrokenName(name) || hasBrokenName(field));
}

/** The names in these objects (the schema of 1.0.102), except for those of models and agents. */
const CLOSED_NAMES: ReadonlySet<string> = new Set(
  (
    "aiCreditsStatus totalPremiumRequestCost totalUserRequests totalNanoAiu tokenDetails totalApiDurationMs " +
    "sessionStartTime codeChanges modelMetrics providerModelMetrics agentMetrics currentModel lastCallInputTokens " +
    "lastCallOutputTokens tokenCount linesAdded linesRemoved filesModifiedCount filesModified requests usage " +
    "cacheExpiresAt count cost inputTokens outputTokens cacheReadTokens cacheWriteTokens reasoningTokens provider " +
    "modelId modelDisplayName metrics id label kind agentName agentDisplayName"
  ).split(" "),
);

/** A newer version may have more names, but none that differs from one of these by a single character. */
function isBrokenName(name: string): boolean {
  if (name.includes("\ufffd")) return true;
  return !CLOSED_NAMES.has(name) && [...CLOSED_NAMES].some((known) => differencesOf(name, known) === 1);
}

function differencesOf(name: string, known: string): number {
  if (name.length !== known.length) return Number.POSITIVE_INFINITY;
  return [...name].filter((character, at) => character !== known[at]).length;
}

function flawIn(shape: Shape, value: Json): string | null {
  for (const { name, isNeeded, words, fits } of fieldsOf(shape)) {
    const field = value[name];
    const isAbsent = field === undefined || field === null;
    if (isAbsent ? isNeeded : !fits(field)) return `${name} ${words}`;
  }
  for (const [name, part, holds] of partsOf(shape)) {
    const flaw = flawInPart(part, holds(value[name]));
    if (flaw !== null) return `${flaw} in ${name}`;
  }
  return null;
}

function flawInPart(part: Shape, values: readonly unknown[]): string | null {
  for (const value of values) {
    const flaw = isJson(value) ? flawIn(part, value) : "something is no object";
    if (flaw !== null) return flaw;
  }
  return null;
}

type NestedShape = readonly [name: string, shape: Shape, holds: (field: unknown) => readonly unknown[]];

/** A part has no values if its field has another type, because the form of the field itself reports that. */
function partsOf({ parts = {}, items = {}, values = {} }: Shape): readonly NestedShape[] {
  const all = (shapes: Readonly<Record<string, Shape>>, holds: NestedShape[2]): readonly NestedShape[] =>
    Object.entries(shapes).map(([name, shape]) => [name, shape, holds]);
  return [
    ...all(parts, (field) => (isJson(field) ? [field] : [])),
    ...all(items, (field) => (Array.isArray(field) ? field : [])),
    ...all(values, (field) => (isJson(field) ? Object.values(field) : [])),
  ];
}

function pruned(shape: Shape, value: Json): Json {
  const copy: Record<string, unknown> = { ...value };
  const optional = new Set(fieldsOf(shape).flatMap(({ name, isNeeded }) => (isNeeded ? [] : [name])));
  for (const { name, isNeeded, fits } of fieldsOf(shape)) {
    const field = copy[name];
    if (!isNeeded && field !== undefined && field !== null && !fits(field)) delete copy[name];
  }
  for (const [name, part, holds] of partsOf(shape)) {
    const field = copy[name];
    const prune = (one: unknown): unknown => (isJson(one) ? pruned(part, one) : one);
    if (Array.isArray(field)) copy[name] = field.map(prune);
    else if (isJson(field))
      copy[name] = shape.parts?.[name] === part ? prune(field) : mapValues(field, prune);
    // An optional object is removed if it lacks a field that it needs.
    if (optional.has(name) && flawInPart(part, holds(copy[name])) !== null) delete copy[name];
  }
  return copy;
}

function mapValues(fields: Json, map: (value: unknown) => unknown): Json {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, map(value)]));
}

interface Field {
  readonly name: string;
  readonly isNeeded: boolean;
  readonly words: string;
  readonly fits: (value: unknown) => boolean;
}

const known = new Map<Shape, readonly Field[]>();

function fieldsOf(shape: Shape): readonly Field[] {
  const fields = known.get(shape) ?? readFields(shape);
  known.set(shape, fields);
  return fields;
}

function readFields(shape: Shape): readonly Field[] {
  return (Object.keys(FORMS) as Form[]).flatMap((form) => {
    const [words, fits] = FORMS[form];
    const names = (shape[form] ?? "").split(" ").filter((name) => name !== "");
    return names.map((name): Field => {
      const isNeeded = name.endsWith("!");
      return { name: isNeeded ? name.slice(0, -1) : name, isNeeded, words, fits };
    });
  });
}

const CONTEXT: Shape = {
  texts: "cwd! gitRoot repository hostType repositoryHost branch headCommit baseCommit",
  flags: "pendingGitContext",
};

const REQUEST: Shape = {
  texts: "toolCallId! name! type mcpServerName mcpToolName intentionSummary",
  objects: "caller",
};

const RESULT: Shape = {
  texts: "content detailedContent",
  lists: "contents binaryResultsForLlm citableSources",
  objects: "uiResource",
};

const ERROR: Shape = {
  texts: "message code remediation",
};

const USAGE: Shape = {
  texts:
    "aiCreditsStatus model! modelDisplayName cacheExpiresAt initiator interactionType byokKind " +
    "modelProvider providerType transport requestBodyEncoding requestBodyCompressionFallback " +
    "requestBodyCompressionFallbackFrom websocketFallbackReason websocketFallbackErrorKind apiCallId " +
    "providerCallId serviceRequestId apiEndpoint parentToolCallId reasoningEffort reasoningSummary " +
    "frontierSource finishReason",
  numbers:
    "inputTokens outputTokens cacheReadTokens cacheWriteTokens reasoningTokens thinkingDroppedBlocks " +
    "cost duration timeToFirstTokenMs outputTtftMs interTokenLatencyMs maxPromptTokens " +
    "maxOutputTokens acceptedPredictionTokens rejectedPredictionTokens requestBodyBytes " +
    "requestBodyWireBytes requestBodyCompressionRejectedStatus websocketFallbackAfterMs " +
    "websocketFallbackStatusCode websocketFallbackCloseCode availableToolCount toolTokenCount " +
    "customToolCallCount unmatchedToolResultCount orphanToolCallCount cacheTtlSeconds numToolCalls",
  flags:
    "isByok isAuto websocketFallbackReconnectAttempted websocketFallbackStartedThisCall rte " +
    "cacheDetailsReported contentFilterTriggered",
  lists: "thinkingDroppedReasons",
  objects: "provider accounting quotaSnapshots copilotUsage toolCounts fusion",
};

const TOKENS: Shape = { wholes: "tokenCount!" };

const MODEL_METRIC: Shape = {
  texts: "aiCreditsStatus cacheExpiresAt",
  numbers: "totalNanoAiu",
  objects: "requests! usage! tokenDetails",
  parts: {
    requests: { wholes: "count", numbers: "cost" },
    usage: { wholes: "inputTokens! outputTokens! cacheReadTokens! cacheWriteTokens! reasoningTokens" },
  },
  values: { tokenDetails: TOKENS },
};

const AGENT_METRIC: Shape = {
  texts: "agentName agentDisplayName",
  numbers: "totalNanoAiu!",
  wholes: "totalApiDurationMs!",
  objects: "modelMetrics!",
  values: { modelMetrics: MODEL_METRIC },
};

const PROVIDER_METRIC: Shape = {
  texts: "modelId modelDisplayName",
  objects: "provider metrics!",
  parts: { provider: { texts: "id label kind" }, metrics: MODEL_METRIC },
};

const CODE_CHANGES: Shape = { wholes: "linesAdded! linesRemoved!", names: "filesModified!" };

const SNAPSHOT: Shape = {
  texts: "aiCreditsStatus sessionStartTime! currentModel",
  numbers: "totalPremiumRequestCost! totalNanoAiu",
  wholes: "totalUserRequests! totalApiDurationMs! lastCallInputTokens! lastCallOutputTokens!",
  lists: "providerModelMetrics",
  objects: "tokenDetails codeChanges! modelMetrics! agentMetrics",
  parts: { codeChanges: { ...CODE_CHANGES, wholes: "linesAdded! linesRemoved! filesModifiedCount!" } },
  items: { providerModelMetrics: PROVIDER_METRIC },
  values: { tokenDetails: TOKENS, modelMetrics: MODEL_METRIC, agentMetrics: AGENT_METRIC },
};

const SHAPES: Readonly<Record<string, Shape>> = {
  abort: {
    texts: "reason!",
  },
  "assistant.message": {
    texts:
      "messageId! originatingMessageId model providerId content! reasoningOpaque reasoningText " +
      "reasoningWireField encryptedContent phase interactionId requestId clientRequestId " +
      "serviceRequestId apiCallId turnId parentToolCallId",
    numbers: "chunkIndex chunkCount outputTokens",
    flags: "rte",
    lists: "toolRequests",
    objects: "serverTools reasoningBlocks citations fusion",
    items: { toolRequests: REQUEST },
  },
  "assistant.turn_end": {
    texts: "turnId! model parentToolCallId",
  },
  "assistant.turn_start": {
    texts: "turnId! model interactionId parentToolCallId",
  },
  "session.binary_asset": {
    texts: "assetId! type! mimeType! data! description",
    numbers: "byteLength!",
    objects: "metadata",
  },
  "session.compaction_complete": {
    texts:
      "outcome outcomeReason failureReason compactionAttemptId model initialModel error " +
      "tokenAccountingBasis customInstructions summaryContent activeWorkflowSummary behaviorModelId " +
      "checkpointPath requestId serviceRequestId switchTargetModel trigger",
    numbers:
      "preCompactionTokens postCompactionTokens preCompactionMessagesLength messagesRemoved " +
      "tokensRemoved checkpointNumber systemTokens conversationTokens toolDefinitionsTokens " +
      "statusCode tokenLimit targetPromptTokenLimit",
    flags: "success!",
    objects: "responsesReasoning compactionTokensUsed",
  },
  "session.compaction_start": {
    texts: "compactionAttemptId model switchTargetModel trigger",
    numbers:
      "systemTokens conversationTokens toolDefinitionsTokens currentTokens tokenLimit " +
      "targetPromptTokenLimit",
  },
  "session.error": {
    texts:
      "originatingMessageId errorType! errorCode providerErrorType providerErrorParam message! " +
      "remediation stack providerCallId serviceRequestId url",
    numbers: "statusCode",
    flags: "eligibleForAutoSwitch",
  },
  "session.mode_changed": {
    texts: "previousMode! newMode!",
  },
  "session.model_change": {
    texts:
      "previousModel newModel! providerId previousProviderId previousReasoningEffort reasoningEffort " +
      "reasoningEffortModel previousReasoningSummary reasoningSummary previousVerbosity verbosity " +
      "contextTier cause source previousAutoTier autoTier",
    flags: "reasoningEffortManaged contextTierManaged autoTierManaged",
  },
  "session.resume": {
    texts:
      "resumeTime! selectedModel providerId reasoningEffort reasoningEffortModel reasoningSummary " +
      "verbosity contextTier autoTier",
    numbers: "eventCount! eventsFileSizeBytes",
    flags:
      "reasoningEffortManaged contextTierManaged autoTierManaged alreadyInUse sessionWasActive " +
      "remoteSteerable continuePendingWork",
    objects: "sessionLimits context",
    parts: { context: CONTEXT },
  },
  "session.shutdown": {
    texts: "shutdownType! errorReason currentModel",
    numbers: "totalPremiumRequests totalNanoAiu",
    wholes:
      "totalApiDurationMs! sessionStartTime! eventsFileSizeBytes currentTokens systemTokens " +
      "conversationTokens toolDefinitionsTokens",
    lists: "providerModelMetrics",
    names: "toolUsageRequestIds",
    objects: "accountingSnapshot tokenDetails codeChanges! modelMetrics! agentMetrics",
    counts: "usageAccountingWatermarks",
    parts: { accountingSnapshot: SNAPSHOT, codeChanges: CODE_CHANGES },
    items: { providerModelMetrics: PROVIDER_METRIC },
    values: { tokenDetails: TOKENS, modelMetrics: MODEL_METRIC, agentMetrics: AGENT_METRIC },
    closed: "accountingSnapshot agentMetrics providerModelMetrics",
  },
  "session.start": {
    texts:
      "sessionId! producer! copilotVersion! startTime! selectedModel providerId reasoningEffort " +
      "reasoningEffortModel reasoningSummary verbosity contextTier autoTier " +
      "detachedFromSpawningParentSessionId",
    numbers: "version!",
    flags: "reasoningEffortManaged contextTierManaged autoTierManaged alreadyInUse remoteSteerable",
    objects: "sessionLimits context githubMcpToolConfig",
    parts: { context: CONTEXT },
  },
  "session.usage_checkpoint": {
    numbers: "totalNanoAiu! totalPremiumRequests",
    lists: "providerModelMetrics modelCacheState promptCacheBreakState",
    names: "toolUsageRequestIds",
    objects: "accountingSnapshot",
    counts: "usageAccountingWatermarks",
    parts: { accountingSnapshot: SNAPSHOT },
    items: {
      providerModelMetrics: PROVIDER_METRIC,
      modelCacheState: { texts: "modelId! cacheExpiresAt!", wholes: "cacheTtlSeconds!" },
    },
  },
  "session.usage_record": {
    objects: "usage!",
    parts: { usage: USAGE },
  },
  "session.warning": {
    texts: "warningType! message! originatingMessageId url remediation",
  },
  "subagent.completed": {
    texts:
      "toolCallId! agentName! agentDisplayName! model firstDispatchedModel configuredModelPreference " +
      "explicitModelOverride modelOverrideReason modelSelectionSource",
    numbers: "totalToolCalls totalTokens durationMs",
    flags: "explicitModelMatchesPreference configuredModelMatchesActual cancelled",
  },
  "subagent.configured": {
    texts: "model! reasoningEffort contextTier",
    flags: "multiTurn!",
  },
  "subagent.selected": {
    texts: "agentName! agentDisplayName",
    lists: "tools",
  },
  "subagent.started": {
    texts:
      "toolCallId! agentName! agentDisplayName! agentDescription! model taskModelSource " +
      "modelSelectionSource workflowRunId parentId agentType executionMode",
    flags: "resumable",
  },
  "system.message": {
    texts: "content! interactionId role! name",
    lists: "contentBlocks",
    objects: "metadata",
  },
  "system.notification": {
    texts: "content!",
    objects: "kind! responsesReasoning",
  },
  "tool.execution_complete": {
    texts: "toolCallId! model interactionId turnId parentToolCallId",
    flags: "success! rte isUserRequested sandboxed",
    lists: "fileEdits",
    objects: "toolUsage result error toolTelemetry toolDescription shellExecution fusion",
    parts: { result: RESULT, error: ERROR },
  },
  "tool.execution_start": {
    texts:
      "toolCallId! toolName! model mcpServerName mcpConfigServerName mcpToolName mcpTransport " +
      "mcpConfigSource turnId parentToolCallId",
    flags: "rte displayVerbatim",
    objects: "shellToolInfo toolDescription fusion",
  },
  "tool.user_requested": {
    texts: "toolCallId! toolName!",
  },
  "user.message": {
    texts:
      "content! messageId transformedContent source delivery agentMode interactionId turnId " +
      "parentAgentTaskId",
    flags: "isAutopilotContinuation",
    lists: "attachments supportedNativeDocumentMimeTypes nativeDocumentPathFallbackPaths",
    objects: "responsesReasoning",
  },
};
