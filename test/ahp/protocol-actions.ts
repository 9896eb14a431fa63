/** The names of all actions of the protocol, version 0.9.0. */

/** The names by the kind of their channel; the type of an action is `KIND/NAME`. */
export const ACTIONS: Readonly<Record<string, string>> = {
  root: "agentsChanged activeSessionsChanged terminalsChanged configChanged",
  session:
    "ready creationFailed chatAdded chatRemoved chatUpdated defaultChatChanged titleChanged serverToolsChanged activeClientSet activeClientRemoved workingDirectorySet workingDirectoryRemoved workingDirectoryReplaced inputNeededSet inputNeededRemoved customizationsChanged customizationToggled customizationUpdated customizationRemoved mcpServerStateChanged mcpServerStartRequested mcpServerStopRequested isReadChanged isArchivedChanged activityChanged changesetsChanged configChanged metaChanged",
  chat: "delta responsePart toolCallStart toolCallDelta toolCallReady toolCallConfirmed toolCallComplete toolCallResultConfirmed toolCallContentChanged toolCallAuthRequired toolCallAuthResolved turnComplete turnCancelled error turnResume activityChanged workingDirectorySet workingDirectoryRemoved usage reasoning pendingMessageSet pendingMessageRemoved queuedMessagesReordered draftChanged inputRequested inputAnswerChanged inputCompleted truncated turnsLoaded turnStarted",
  changeset:
    "statusChanged fileSet fileRemoved filesReviewChanged contentChanged operationsChanged operationStatusChanged cleared",
  annotations: "set updated removed entrySet entryRemoved",
  terminal:
    "data input resized claimed titleChanged cwdChanged exited cleared commandDetectionAvailable commandExecuted commandFinished",
  resourceWatch: "changed",
  automation: "createRequested updateRequested set removed",
  automationRun: "lifecycleChanged sessionSet sessionRemoved primarySessionChanged cancelRequested",
};

export const ACTION_TYPES: readonly string[] = Object.entries(ACTIONS).flatMap(([kind, names]) =>
  names.split(" ").map((name) => `${kind}/${name}`),
);
