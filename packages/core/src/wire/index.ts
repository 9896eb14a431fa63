/**
 * The words that the server and its clients share: frames, errors, scopes and paths as they appear on the wire.
 *
 * Promises: pure; runs in a browser; two different paths never lead to the same log.
 * Does not know: how anything is stored or sent.
 */

export {
  assertName,
  authorOf,
  isAddressedTo,
  isId,
  isInputFor,
  mentions,
  sessionKeyOf,
} from "./channel-address.ts";
export type { Attachment } from "./channel-data.ts";
export {
  ANCHOR_TYPES,
  headOf,
  isRecord,
  type MessageData,
  type MessageHead,
  numberOr,
  recordOf,
  textOfContent,
  textOr,
  toHashedWireEvent,
  toWireEvent,
  type WireEvent,
} from "./channel-events.ts";
export {
  type ChangeFrame,
  CLOSE,
  type ClaimedInput,
  type ClientFrame,
  FINAL_CODES,
  type HelloFrame,
  type HistoryItem,
  type PartFrame,
  type Participant,
  type ParticipantSession,
  PERSON,
  type PostFrame,
  PROTOCOL_VERSION,
  type ReplayFrom,
  type ReplayMode,
  type RequestFrame,
  type RunEnd,
  type ServerFrame,
  type SessionFrame,
  type SessionStatus,
  SUBPROTOCOL,
  type WelcomeFrame,
} from "./channel-frames.ts";
export { assertListLimit, CHAT_LIST_LIMITS, LIMITS as CHANNEL_LIMITS } from "./channel-limits.ts";
export { capabilitiesOf, parseClientFrame, parseServerFrame, participantTypeOf } from "./channel-parse.ts";
export type {
  AnchorAnswer,
  ChannelHead,
  ChannelMessage,
  ChannelRow,
  ChannelSummary,
  ChannelsPage,
  MessageAnswer,
  MessageEditRequest,
  MessageReaction,
  MessageRequest,
  MessagesWindow,
} from "./channel-views.ts";
export type { ChatFrame, ChatMessage, ChatMetadata, ChatPartsChange, UIPart } from "./chat.ts";
export { errorFromWire, notJson, toRequester, toWireError, type WireError } from "./errors.ts";
export {
  EXTENSION_PROTOCOL,
  EXTENSION_SCOPE,
  type ExtensionAccess,
  type ExtensionCollection,
  type ExtensionDecision,
  type ExtensionRequest,
  type ExtensionRequested,
  extensionLabel,
  extensionOriginOf,
  isExtensionOrigin,
} from "./extension.ts";
export {
  evidenceOf,
  type NoteChange,
  type NoteVerb,
  noteChangeOf,
  noteVerbOf,
  type PreviousNote,
  type ReadableEvidence,
} from "./live-events.ts";
export {
  type BlobPointer,
  type CaptionsInput,
  EVIDENCE_TYPES,
  type EvidenceBatch,
  type EvidenceInput,
  type ExpiringPictures,
  type FrameInput,
  type FrameTier,
  type ListedCue,
  type PlaybackInput,
  type PurgeWarning,
  type RemarkInput,
  type TelemetryInput,
  type TranscriptInput,
  type VoiceActivityInput,
} from "./live-evidence.ts";
export {
  foldLive,
  foldNote,
  foldRequests,
  isCountedInput,
  isInput,
  isSignal,
  type LiveChange,
  type LiveQuestion,
  type LiveReader,
  type LiveView,
  type NoteMoment,
  newLiveView,
  type PendingQuestion,
} from "./live-fold.ts";
export {
  LIVE_FEED_TYPES,
  LIVE_SUBPROTOCOL,
  type LiveClientFrame,
  type LiveServerFrame,
  parseLiveClientFrame,
} from "./live-frames.ts";
export type { LiveHistory, NoteCut, NoteEvent, NoteHistory } from "./live-history.ts";
export {
  NOTE_EVENT_TYPES,
  type Note,
  type NoteOperation,
  type NoteStatus,
  type RelatedNote,
  type Span,
} from "./live-notes.ts";
export type { LiveOutline, OutlineChapter, OutlinePassage } from "./live-outline.ts";
export {
  isSameItem,
  type LivePage,
  PAGE_ITEM_KINDS,
  type PageChange,
  type PageItem,
  type PageItemKind,
  type PageOperation,
  pageChangeOf,
  pageItemsOf,
  writtenItemsOf,
} from "./live-page.ts";
export {
  type Acknowledgement,
  type BudgetState,
  type Lanes,
  LEVELS,
  type Level,
  LIVE_STATES,
  type LiveAnswer,
  type LiveCost,
  type LiveHealth,
  type LiveSession,
  type LiveSessionRequest,
  type LiveState,
  type OfferedWriter,
  type OpenedLiveSession,
  type RemovedLiveSession,
  type ReportedState,
} from "./live-session.ts";
export {
  blocksIn,
  CHANGE_TYPES,
  type ChangeableMessage,
  changedMessage,
  contentOf,
  isByServer,
  isByWriter,
  type MessageChange,
  type MessageText,
  messageAfter,
  type SystemLine,
  toMessageChange,
  toSystemMessage,
} from "./message-change.ts";
export {
  isNonce,
  LOOPBACK_LABEL,
  NONCE_HEADER,
  OWN_LABELS,
  type PageEntry,
  type PageKind,
  type PageLabel,
  type PageRequest,
  PROOF_HEADER,
  pageLabel,
  parsePageLabel,
  proofText,
} from "./pages.ts";
export {
  ANY_HANDLE,
  addressOf,
  channelLogId,
  isName,
  pathOfLog,
  SERVER_LOGS,
  type StreamAddress,
} from "./paths.ts";
export {
  type Access,
  allows,
  coversName,
  formatScope,
  type MachinePermission,
  type NamedScope,
  parseScope,
  type RequiredPermission,
  readOnly,
  type Scope,
} from "./scopes.ts";
export {
  eventPlaceOf,
  formatOffset,
  parseOffset,
  STREAM_HEADERS,
  STREAM_ROOT,
  type StreamControl,
} from "./streams.ts";
