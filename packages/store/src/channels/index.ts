/**
 * Channels: logs that people and agents share, with participants, messages, cursors and inputs.
 *
 * Promises: every event of a channel is an event of the log `channels/NAME`; a handle belongs to the holder of its
 * lease, or to several connections of a person, and a lease fences every write; run and cursor change in one
 * transaction; a message that its writer does not finish ends as interrupted; only its author can edit a message, and
 * nobody receives the text of a deleted one.
 * Does not know: sockets, HTTP, tokens, programs of agents.
 */

export { turnCounter, withTurns } from "./agent-turns.ts";
export {
  answerIdOf,
  type ClaimOptions,
  claimInput,
  type EndRunOptions,
  endRun,
} from "./claims.ts";
export { seeDevice } from "./devices.ts";
export { assertByParticipant, checkPosted } from "./frame-checks.ts";
export {
  awaitReturn,
  type Fence,
  handleTaken,
  isShared,
  leaseOf,
  leaveChannel,
  mayHaveLeft,
  renewHandle,
  rivalOf,
  takeHandle,
} from "./handles.ts";
export { endConnection, type InterruptOptions, interruptMessages, sweepChannels } from "./interrupt.ts";
export {
  type ConnectionRef,
  PROCESS_PREFIX,
  participantSession,
  presenceLease,
  processedCursor,
} from "./names.ts";
export {
  clearHistory,
  commitProcessed,
  createParticipantSession,
  hasParticipantSession,
  moveReceived,
  type ParticipantPlace,
  readHistory,
  readParticipantSession,
  setSdkSession,
  storeMessage,
} from "./participant-session.ts";
export { type Card, isPerson, openChannel, readRoster } from "./participants.ts";
export { type Author, hasEnded, isPart, type OpenMessages, openAfter, post, postTogether } from "./post.ts";
export { lastAnchor, readMessages } from "./read-messages.ts";
export { ChannelStates, isSnapshotDue, readState } from "./read-state.ts";
export {
  addressedEvents,
  partsOfEnded,
  planReplay,
  type Replay,
  type ReplayEnd,
  readReplayEnd,
} from "./replay.ts";
export { blobsOf } from "./sent-messages.ts";
export { type ChannelState, foldChannel, type OpenMessage, openMessagesOf } from "./state.ts";
export { summaryOf } from "./summary.ts";
