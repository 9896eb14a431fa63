/**
 * The data that goes over HTTP, by endpoint: the body that is sent, the answer, and the data of server-sent events by
 * the name of the event. `content` is the media type of an answer that is not JSON, and `none` for an answer with the
 * status 204. `error` is the body of a refusal, if it differs from that of `*`. `protocol/http.json` is made from these
 * types.
 */

import type {
  AuditEntry,
  EventPage,
  Message,
  NewEvent,
  SessionFacts,
  StoredEvent,
  VerifyResult,
} from "@continuo/core/model";
import type {
  Acknowledgement,
  AnchorAnswer,
  ChannelHead,
  ChannelsPage,
  ChatFrame,
  EvidenceBatch,
  ExpiringPictures,
  ExtensionAccess,
  ExtensionCollection,
  ExtensionDecision,
  ExtensionRequest,
  ExtensionRequested,
  LiveAnswer,
  LiveHistory,
  LiveOutline,
  LivePage,
  LiveSession,
  LiveSessionRequest,
  MessageAnswer,
  MessageEditRequest,
  MessageRequest,
  MessagesWindow,
  Note,
  NoteHistory,
  NoteOperation,
  OfferedWriter,
  OpenedLiveSession,
  PageEntry,
  PageOperation,
  PageRequest,
  RelatedNote,
  RemovedLiveSession,
  StreamControl,
  WireError,
  WireEvent,
} from "@continuo/core/wire";
import type {
  AnswerRequest,
  BringBackAnswer,
  CancelRequest,
  ChangesAnswer,
  ChatEvent,
  EmptyTrashAnswer,
  ExportAllRequest,
  FileBlameAnswer,
  FileChanges,
  FolderFiles,
  ForkAnswer,
  ForkRequest,
  GrowthEvent,
  HandOffAnswer,
  HandOffPreview,
  HandOffRequest,
  HistoryWindow,
  InboxState,
  KnownSession,
  MachineHealth,
  MachineSession,
  MachineUsage,
  MarkRequest,
  NewChatAgents,
  NewChatRequest,
  Outline,
  PairAnswer,
  PairRequest,
  PhonesState,
  Preferences,
  PromptAnswer,
  PromptRequest,
  RenameRequest,
  RepairAnswer,
  ResumeOffer,
  SeenRequest,
  SessionBranches,
  SessionHead,
  SessionSearchResult,
  SessionsAtRisk,
  SessionsChanged,
  SessionsPage,
  TerminalAnswer,
  TextRest,
  TrashAnswer,
} from "@continuo/core/wire/machine";
import type { ReplayReport } from "@continuo/live";
import type { Approval, ApprovalStatus, Chat, SentRun, UIChunk } from "@continuo/server/runtime";
import type {
  ClaimedWake,
  SubscriptionAnswer,
  SubscriptionError,
  SubscriptionRequest,
  WakeAnswer,
  WakeReport,
  WebhookKeys,
} from "./subscription-bodies.ts";

/** The events of a stream of server-sent events: `type` is the name, the other keys are the data. */
type SseEvents<Event extends { readonly type: string }> = {
  readonly [Name in Event["type"]]: Omit<Extract<Event, { readonly type: Name }>, "type">;
};

/** An event without the fields that the server sets for a request with a token. */
type PostedEvent = Omit<NewEvent, "actor" | "retention" | "salt">;

/** An event without hashes, and without the folders, files and processes of the server's machine. */
type ReaderEvent = Omit<StoredEvent, "payloadHash" | "chainHash">;

/** The end of the last attempt, the code of its error, and words for people about it. */
interface StreamEnd {
  readonly status?: string;
  readonly code?: string;
  readonly message?: string;
}

/** A message for an agent. With the `id` of an earlier message, nothing is sent a second time. */
interface SessionMessage {
  readonly text: string;
  readonly id?: string | null;
  readonly agent?: string | null;
  /** Asks again if the message with this id has no complete answer. */
  readonly again?: boolean;
}

/** The request of `useChat`. The last message is the one to answer; its parts are texts and files as `data:` addresses. */
interface ChatRequest {
  readonly messages: readonly {
    readonly id?: string;
    readonly role?: "user";
    readonly parts: readonly { readonly type: string }[];
  }[];
  readonly trigger?: string;
}

export interface Endpoints {
  /** The body of every answer with a status of 400 or more. */
  readonly "*": { readonly error: WireError };

  readonly "GET /v1/channels": { readonly answer: ChannelsPage };
  readonly "GET /v1/channels/NAME": { readonly answer: ChannelHead };
  readonly "GET /v1/channels/NAME/messages": { readonly answer: MessagesWindow };
  readonly "POST /v1/channels/NAME/messages": {
    readonly body: MessageRequest;
    readonly answer: MessageAnswer;
  };
  readonly "PUT /v1/channels/NAME/messages/ID": {
    readonly body: MessageEditRequest;
    readonly answer: MessageAnswer;
  };
  readonly "DELETE /v1/channels/NAME/messages/ID": { readonly answer: MessageAnswer };
  readonly "PUT /v1/channels/NAME/messages/ID/reactions/REACTION": { readonly answer: MessageAnswer };
  readonly "DELETE /v1/channels/NAME/messages/ID/reactions/REACTION": { readonly answer: MessageAnswer };
  readonly "GET /v1/channels/NAME/anchor": { readonly answer: AnchorAnswer };
  readonly "GET /v1/channels/NAME/events": { readonly answer: EventPage };

  readonly "POST /v1/stream/PATH": { readonly body: PostedEvent | readonly PostedEvent[] };
  readonly "GET /v1/stream/PATH": { readonly answer: readonly StoredEvent[] };
  readonly "GET /v1/stream/PATH?live=sse": {
    readonly events: { readonly data: readonly StoredEvent[]; readonly control: StreamControl };
  };

  readonly "GET /v1/stream/__ds/jwks.json": { readonly answer: WebhookKeys };
  readonly "PUT /v1/stream/__ds/subscriptions/ID": {
    readonly body: SubscriptionRequest;
    readonly answer: SubscriptionAnswer;
    readonly error: SubscriptionError;
  };
  readonly "GET /v1/stream/__ds/subscriptions/ID": {
    readonly answer: SubscriptionAnswer;
    readonly error: SubscriptionError;
  };
  readonly "DELETE /v1/stream/__ds/subscriptions/ID": {
    readonly content: "none";
    readonly error: SubscriptionError;
  };
  readonly "POST /v1/stream/__ds/subscriptions/ID/streams": {
    readonly body: { readonly streams: readonly string[] };
    readonly content: "none";
    readonly error: SubscriptionError;
  };
  readonly "DELETE /v1/stream/__ds/subscriptions/ID/streams/PATH": {
    readonly content: "none";
    readonly error: SubscriptionError;
  };
  readonly "POST /v1/stream/__ds/subscriptions/ID/claim": {
    readonly body: { readonly worker: string };
    readonly answer: ClaimedWake;
    readonly error: SubscriptionError;
  };
  readonly "POST /v1/stream/__ds/subscriptions/ID/ack": {
    readonly body: WakeReport;
    readonly answer: WakeAnswer;
    readonly error: SubscriptionError;
  };
  readonly "POST /v1/stream/__ds/subscriptions/ID/callback": {
    readonly body: WakeReport;
    readonly answer: WakeAnswer;
    readonly error: SubscriptionError;
  };
  readonly "POST /v1/stream/__ds/subscriptions/ID/release": {
    readonly body: WakeReport;
    readonly content: "none";
    readonly error: SubscriptionError;
  };

  readonly "GET /v1/sessions/ID": {
    readonly answer: { readonly sessionId: string; readonly messages: readonly Message[] };
  };
  readonly "GET /v1/sessions/ID/events": { readonly events: { readonly message: ReaderEvent } };
  readonly "GET /v1/sessions/ID/runs/RUN/events": {
    readonly events: { readonly message: ReaderEvent; readonly end: StreamEnd };
  };
  readonly "POST /v1/sessions/ID/messages": { readonly body: SessionMessage; readonly answer: SentRun };
  readonly "GET /v1/sessions/ID/chat": { readonly answer: Chat };
  readonly "POST /v1/sessions/ID/chat": {
    readonly body: ChatRequest;
    readonly events: { readonly message: UIChunk };
  };
  readonly "GET /v1/sessions/ID/chat/stream": { readonly events: { readonly message: UIChunk } };
  readonly "GET /v1/sessions/ID/chat/PAGE/stream": { readonly events: { readonly message: UIChunk } };
  readonly "POST /v1/sessions/ID/chat/stop": {
    readonly body: { readonly open?: readonly string[] | null; readonly reason?: string | null };
    readonly answer: { readonly stopped: readonly string[] };
  };
  readonly "GET /v1/sessions/ID/chat/events": { readonly events: { readonly message: ChatFrame } };
  readonly "GET /v1/sessions/ID/chat/html": { readonly content: "text/html" };
  readonly "GET /v1/sessions/ID/html": { readonly content: "text/html" };
  readonly "GET /v1/approvals": { readonly answer: readonly Approval[] };
  readonly "POST /v1/approvals/ID": {
    readonly body: {
      readonly outcome: Extract<ApprovalStatus, "granted" | "denied">;
      readonly reason?: string | null;
    };
    readonly answer: Approval;
  };

  readonly "POST /v1/blobs": {
    readonly answer: { readonly hash: string; readonly sizeBytes: number; readonly mediaType: string };
  };
  /** The media type is that of the upload, if browsers do not run it. */
  readonly "GET /v1/blobs/HASH": { readonly content: "*/*" };
  readonly "GET /v1/audit": {
    readonly answer: { readonly entries: readonly AuditEntry[]; readonly nextCursor: string | null };
  };
  readonly "GET /v1/client.js": { readonly content: "text/javascript" };
  /** `client-HASH.js`, which `client.js` loads. */
  readonly "GET /v1/FILE": { readonly content: "text/javascript" };
  readonly "POST /v1/extension/requests": {
    readonly body: ExtensionRequest;
    readonly answer: ExtensionRequested;
  };
  readonly "POST /v1/extension/requests/ID/answer": { readonly body: ExtensionDecision };
  readonly "POST /v1/extension/requests/ID/token": {
    readonly body: ExtensionCollection;
    readonly answer: ExtensionAccess;
  };
  readonly "POST /v1/pages/cookie": { readonly body: PageRequest; readonly answer: PageEntry };
  readonly "DELETE /v1/pages/cookie": { readonly content: "none" };
  readonly "GET /v1/pages/proof": { readonly content: "none" };
  readonly "POST /v1/pages/code": {
    readonly answer: {
      readonly code: string | null;
      readonly expiresAt: string | null;
      readonly host: string | null;
    };
  };

  readonly "GET /v1/live": {
    readonly answer: { readonly sessions: readonly LiveSession[]; readonly nextCursor: string | null };
  };
  readonly "PUT /v1/live/KEY": { readonly body: LiveSessionRequest; readonly answer: OpenedLiveSession };
  readonly "GET /v1/live/KEY": { readonly answer: LiveSession };
  readonly "DELETE /v1/live/KEY": { readonly answer: LiveSession };
  readonly "GET /v1/live/KEY/evidence": {
    readonly answer: { readonly events: readonly WireEvent[]; readonly nextAfter: number | null };
  };
  readonly "POST /v1/live/KEY/evidence": { readonly body: EvidenceBatch; readonly answer: Acknowledgement };
  readonly "POST /v1/live/KEY/audio": { readonly answer: Acknowledgement };
  readonly "POST /v1/live/KEY/ping": { readonly content: "none" };
  readonly "GET /v1/live/KEY/page": { readonly answer: { readonly page: LivePage | null } };
  readonly "POST /v1/live/KEY/page/ID": { readonly body: PageOperation; readonly answer: Acknowledgement };
  readonly "GET /v1/live/KEY/writers": { readonly answer: { readonly writers: readonly OfferedWriter[] } };
  readonly "POST /v1/live/KEY/writer": {
    readonly body: { readonly name: string };
    readonly answer: LiveSession;
  };
  readonly "GET /v1/live/KEY/expiring": { readonly answer: ExpiringPictures };
  readonly "GET /v1/live/KEY/blobs/HASH": { readonly content: "application/octet-stream" };
  readonly "POST /v1/live/KEY/blobs/HASH/keep": { readonly content: "none" };
  readonly "GET /v1/live/KEY/notes/ID/related": {
    readonly answer: { readonly related: readonly RelatedNote[] };
  };
  readonly "GET /v1/whisper/FILE": { readonly content: "application/octet-stream" };
  readonly "POST /v1/live/KEY/join": {
    readonly body: { readonly key: string };
    readonly answer: LiveSession;
  };
  readonly "POST /v1/live/KEY/notes/ID": { readonly body: NoteOperation; readonly answer: Acknowledgement };
  readonly "GET /v1/live/KEY/notes": { readonly answer: { readonly notes: readonly Note[] } };
  readonly "POST /v1/live/KEY/context/ID": {
    readonly body: { readonly text: string; readonly mediaTimeMs?: number };
    readonly answer: Acknowledgement;
  };
  readonly "POST /v1/live/KEY/ask": {
    readonly body: { readonly question: string };
    readonly answer: LiveAnswer;
  };
  readonly "POST /v1/live/KEY/replay": {
    readonly body: { readonly mode?: ReplayReport["mode"] };
    readonly answer: ReplayReport;
  };
  readonly "POST /v1/live/KEY/verify": { readonly answer: VerifyResult };
  readonly "POST /v1/live/KEY/repair": { readonly answer: LiveSession };
  readonly "GET /v1/live/KEY/outline": { readonly answer: LiveOutline };
  readonly "GET /v1/live/KEY/history": { readonly answer: LiveHistory };
  readonly "GET /v1/live/KEY/notes/ID/history": { readonly answer: NoteHistory };
  readonly "POST /v1/live/KEY/remove": {
    readonly body: { readonly sessionId?: string };
    readonly answer: RemovedLiveSession;
  };
  readonly "POST /v1/live/KEY/restore": {
    readonly body: { readonly sessionId?: string };
    readonly answer: LiveSession;
  };
  readonly "GET /v1/live?status=removed": {
    readonly answer: { readonly sessions: readonly RemovedLiveSession[]; readonly nextCursor: string | null };
  };
  readonly "POST /v1/videos/ID/remove": {
    readonly answer: { readonly sessions: readonly RemovedLiveSession[] };
  };
  readonly "POST /v1/videos/ID/restore": { readonly answer: { readonly sessions: readonly LiveSession[] } };
  readonly "DELETE /v1/videos/ID": { readonly answer: { readonly deleted: number } };

  readonly "GET /v1/machine/sessions": { readonly answer: SessionsPage };
  readonly "GET /v1/machine/sessions/events": { readonly events: { readonly changed: SessionsChanged } };
  readonly "GET /v1/machine/files?path=": { readonly answer: FileBlameAnswer };
  readonly "GET /v1/machine/health": { readonly answer: MachineHealth };
  readonly "GET /v1/machine/at-risk": { readonly answer: SessionsAtRisk };
  readonly "GET /v1/machine/inbox": { readonly answer: InboxState };
  readonly "GET /v1/machine/inbox/events": { readonly events: { readonly inbox: InboxState } };
  readonly "POST /v1/machine/inbox/seen": { readonly body: SeenRequest };
  readonly "GET /v1/machine/usage": { readonly answer: MachineUsage };
  readonly "GET /v1/machine/preferences": { readonly answer: Preferences };
  readonly "POST /v1/machine/preferences": { readonly body: Preferences; readonly answer: Preferences };
  readonly "GET /v1/machine/phones": { readonly answer: PhonesState };
  readonly "POST /v1/machine/phones": { readonly body: PairRequest; readonly answer: PairAnswer };
  readonly "POST /v1/machine/phones/ID/revoke": { readonly answer: Readonly<Record<string, unknown>> };
  readonly "GET /v1/machine/sessions/KEY/messages/ID/image": { readonly content: "image/*" };
  /** HTML, Markdown, JSON or JSON lines, as `format` says. */
  readonly "GET /v1/machine/sessions/KEY/export": { readonly content: "*/*" };
  readonly "GET /v1/machine/sessions/KEY": { readonly answer: SessionHead };
  readonly "GET /v1/machine/sessions/KEY/known": { readonly answer: KnownSession };
  readonly "GET /v1/machine/sessions/KEY/branches": { readonly answer: SessionBranches };
  readonly "GET /v1/machine/sessions/KEY/history": { readonly answer: HistoryWindow };
  readonly "GET /v1/machine/sessions/KEY/outline": { readonly answer: Outline };
  readonly "GET /v1/machine/sessions/KEY/facts": { readonly answer: SessionFacts };
  readonly "GET /v1/machine/sessions/KEY/find": { readonly answer: SessionSearchResult };
  readonly "GET /v1/machine/sessions/KEY/changes": { readonly answer: ChangesAnswer };
  readonly "GET /v1/machine/sessions/KEY/changes?path=": { readonly answer: FileChanges };
  readonly "GET /v1/machine/sessions/KEY/messages/ID/text": { readonly answer: TextRest };
  readonly "GET /v1/machine/sessions/KEY/events": { readonly events: SseEvents<GrowthEvent> };
  readonly "GET /v1/machine/sessions/KEY/chat/events": { readonly events: SseEvents<ChatEvent> };
  readonly "POST /v1/machine/sessions/KEY/chat/prompt": {
    readonly body: PromptRequest;
    readonly answer: PromptAnswer;
  };
  readonly "POST /v1/machine/sessions/KEY/chat/cancel": { readonly body: CancelRequest };
  readonly "POST /v1/machine/sessions/KEY/chat/answer": { readonly body: AnswerRequest };
  readonly "POST /v1/machine/sessions/KEY/terminal": { readonly answer: TerminalAnswer };
  readonly "POST /v1/machine/sessions/KEY/rename": {
    readonly body: RenameRequest;
    readonly answer: MachineSession;
  };
  readonly "GET /v1/machine/chats/agents": { readonly answer: NewChatAgents };
  readonly "GET /v1/machine/chats/files": { readonly answer: FolderFiles };
  readonly "POST /v1/machine/chats": { readonly body: NewChatRequest; readonly answer: PromptAnswer };
  readonly "POST /v1/machine/export": { readonly body: ExportAllRequest };
  readonly "POST /v1/machine/sessions/KEY/marks": {
    readonly body: MarkRequest;
    readonly answer: MachineSession;
  };
  readonly "POST /v1/machine/sessions/KEY/fork": { readonly body: ForkRequest; readonly answer: ForkAnswer };
  readonly "POST /v1/machine/sessions/KEY/delete": { readonly answer: TrashAnswer };
  readonly "POST /v1/machine/trash/empty": { readonly answer: EmptyTrashAnswer };
  readonly "POST /v1/machine/trash/ID/restore": { readonly answer: MachineSession | null };
  readonly "GET /v1/machine/sessions/KEY/repair": { readonly answer: RepairAnswer };
  readonly "POST /v1/machine/sessions/KEY/repair": { readonly answer: RepairAnswer };
  readonly "GET /v1/machine/sessions/KEY/bring-back": { readonly answer: BringBackAnswer };
  readonly "POST /v1/machine/sessions/KEY/bring-back": { readonly answer: BringBackAnswer };
  readonly "GET /v1/machine/sessions/KEY/resume": { readonly answer: ResumeOffer };
  readonly "GET /v1/machine/sessions/KEY/handoff": { readonly answer: HandOffPreview };
  readonly "POST /v1/machine/sessions/KEY/handoff": {
    readonly body: HandOffRequest;
    readonly answer: HandOffAnswer;
  };
}
