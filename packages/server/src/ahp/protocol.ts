/** The words of the Agent Host Protocol that this host uses: codes of errors, states and actions. */

export const ROOT_CHANNEL = "ahp-root://";

export const AHP_ERRORS = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  sessionNotFound: -32001,
  providerNotFound: -32002,
  sessionExists: -32003,
  turnInProgress: -32004,
  unsupportedVersion: -32005,
  notFound: -32008,
  permissionDenied: -32009,
} as const;

/** The parts of a status: one of the first four, which are activities, together with any of the others. */
export const STATUS = {
  idle: 1,
  error: 2,
  inProgress: 8,
  inputNeeded: 24,
  isRead: 32,
  isArchived: 64,
} as const;

/** The bits that show the activity. */
export const ACTIVITY_BITS = 31;

export interface AgentInfo {
  readonly provider: string;
  readonly displayName: string;
  readonly description: string;
  readonly models: readonly { readonly id: string; readonly provider: string; readonly name: string }[];
}

export interface RootState {
  readonly agents: readonly AgentInfo[];
}

export interface SessionSummary {
  readonly resource: string;
  readonly provider: string;
  readonly title: string;
  readonly status: number;
  readonly createdAt: string;
  readonly modifiedAt: string;
  readonly workingDirectories?: readonly string[];
  readonly _meta?: Readonly<Record<string, unknown>>;
}

export type Interactivity = "full" | "read-only";

export interface ChatSummary {
  readonly resource: string;
  readonly title: string;
  readonly status: number;
  readonly modifiedAt: string;
  readonly interactivity?: Interactivity;
}

export interface ActiveClient {
  readonly clientId: string;
  readonly [field: string]: unknown;
}

/** A question for permission, as the session shows it. */
export interface InputRequest {
  readonly id: string;
  readonly chat: string;
  readonly kind: "toolConfirmation";
  readonly turnId: string;
  readonly toolCall: ToolCall;
}

export interface SessionState {
  readonly provider: string;
  readonly title: string;
  readonly status: number;
  readonly lifecycle: "creating" | "ready" | "failed";
  readonly activeClients: readonly ActiveClient[];
  readonly chats: readonly ChatSummary[];
  readonly defaultChat?: string;
  readonly workingDirectories?: readonly string[];
  readonly inputNeeded?: readonly InputRequest[];
}

export interface AhpMessage {
  readonly text: string;
  readonly origin: { readonly kind: string };
  readonly [field: string]: unknown;
}

export interface ConfirmationOption {
  readonly id: string;
  readonly label: string;
  readonly kind: "approve" | "deny";
}

export type EditSide = "before" | "after";

interface EditedFile {
  readonly uri: string;
  /** The text is read by this name. */
  readonly content: { readonly uri: string };
}

export interface FileEditContent {
  readonly type: "fileEdit";
  /** Missing for a new file. */
  readonly before?: EditedFile;
  /** Missing for a deleted file. */
  readonly after?: EditedFile;
  readonly diff: { readonly added: number; readonly removed: number };
}

export interface ToolResult {
  readonly success: boolean;
  readonly pastTenseMessage: string;
  readonly content?: readonly ({ readonly type: "text"; readonly text: string } | FileEditContent)[];
  readonly error?: { readonly message: string };
}

export type StringOrMarkdown = string | { readonly markdown: string };

/** A call of a tool in one of its states; a field exists in the states that have it. */
export interface ToolCall {
  readonly status: "streaming" | "pending-confirmation" | "running" | "completed" | "cancelled";
  readonly toolCallId: string;
  readonly toolName: string;
  readonly displayName: string;
  readonly invocationMessage?: StringOrMarkdown;
  readonly toolInput?: string;
  readonly confirmationTitle?: string;
  readonly confirmed?: string;
  readonly options?: readonly ConfirmationOption[];
  readonly selectedOption?: ConfirmationOption;
  readonly success?: boolean;
  readonly pastTenseMessage?: string;
  readonly content?: ToolResult["content"];
  readonly error?: { readonly message: string };
  readonly reason?: string;
  readonly reasonMessage?: string;
  readonly _meta?: CallMeta;
}

/** Sent in addition to the protocol, as VS Code's own host does. */
export interface CallMeta {
  readonly toolKind: "terminal";
}

export interface ErrorPart {
  readonly kind: "error";
  readonly error: { readonly errorType: string; readonly message: string };
}

export type ResponsePart =
  | { readonly kind: "markdown"; readonly id: string; readonly content: string }
  | { readonly kind: "reasoning"; readonly id: string; readonly content: string }
  | { readonly kind: "toolCall"; readonly toolCall: ToolCall }
  | { readonly kind: "systemNotification"; readonly content: string }
  | ErrorPart;

export interface UsageInfo {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

export interface ActiveTurn {
  readonly id: string;
  readonly startedAt: string;
  readonly message: AhpMessage;
  readonly responseParts: readonly ResponsePart[];
  readonly usage: UsageInfo | undefined;
}

export interface ChatTurn extends ActiveTurn {
  readonly duration: number;
  readonly state: "complete" | "cancelled" | "error";
}

export interface PendingMessage {
  readonly id: string;
  readonly message: AhpMessage;
}

export interface ChatState extends ChatSummary {
  readonly turns: readonly ChatTurn[];
  readonly turnsNextCursor?: string;
  readonly activeTurn?: ActiveTurn;
  readonly queuedMessages?: readonly PendingMessage[];
  readonly draft?: AhpMessage;
}

interface OfTurn {
  readonly turnId: string;
}

interface OfCall extends OfTurn {
  readonly toolCallId: string;
}

interface TurnStart extends OfTurn {
  readonly type: "chat/turnStarted";
  readonly startedAt: string;
  readonly message: AhpMessage;
  readonly queuedMessageId?: string;
}

interface CallReady extends OfCall {
  readonly type: "chat/toolCallReady";
  readonly invocationMessage: StringOrMarkdown;
  readonly toolInput?: string;
  readonly confirmationTitle?: string;
  readonly confirmed?: string;
  readonly options?: readonly ConfirmationOption[];
}

export interface CallConfirmed extends OfCall {
  readonly type: "chat/toolCallConfirmed";
  readonly approved: boolean;
  readonly confirmed?: string;
  readonly reason?: string;
  readonly reasonMessage?: string;
  readonly selectedOptionId?: string;
}

/** The actions of a chat that this host sends, or accepts from a client. */
export type ChatAction =
  | TurnStart
  | (OfTurn & {
      readonly type: "chat/delta" | "chat/reasoning";
      readonly partId: string;
      readonly content: string;
    })
  | (OfTurn & { readonly type: "chat/responsePart"; readonly part: ResponsePart })
  | (OfCall & {
      readonly type: "chat/toolCallStart";
      readonly toolName: string;
      readonly displayName: string;
    })
  | CallReady
  | CallConfirmed
  | (OfCall & {
      readonly type: "chat/toolCallComplete";
      readonly result: ToolResult;
      readonly _meta?: CallMeta;
    })
  | (OfTurn & { readonly type: "chat/usage"; readonly usage: UsageInfo })
  | (OfTurn & { readonly type: "chat/turnComplete" | "chat/turnCancelled"; readonly duration: number })
  | (OfTurn & { readonly type: "chat/error"; readonly duration: number; readonly part: ErrorPart })
  | { readonly type: "chat/truncated"; readonly turnId?: string }
  | {
      readonly type: "chat/turnsLoaded";
      readonly turns: readonly ChatTurn[];
      readonly turnsNextCursor?: string;
    }
  | {
      readonly type: "chat/pendingMessageSet";
      readonly kind: "queued";
      readonly id: string;
      readonly message: AhpMessage;
    }
  | { readonly type: "chat/pendingMessageRemoved"; readonly kind: "queued"; readonly id: string }
  | { readonly type: "chat/queuedMessagesReordered"; readonly order: readonly string[] }
  | { readonly type: "chat/draftChanged"; readonly draft?: AhpMessage };

/** The actions of a session that this host sends, or accepts from a client. */
export type SessionAction =
  | { readonly type: "session/ready" }
  | {
      readonly type: "session/chatUpdated";
      readonly chat: string;
      readonly changes: Partial<Omit<ChatSummary, "resource">>;
    }
  | { readonly type: "session/titleChanged"; readonly title: string }
  | { readonly type: "session/isReadChanged"; readonly isRead: boolean }
  | { readonly type: "session/isArchivedChanged"; readonly isArchived: boolean }
  | { readonly type: "session/activeClientSet"; readonly activeClient: ActiveClient }
  | { readonly type: "session/activeClientRemoved"; readonly clientId: string }
  | { readonly type: "session/inputNeededSet"; readonly request: InputRequest }
  | { readonly type: "session/inputNeededRemoved"; readonly id: string };

export interface RootAction {
  readonly type: "root/agentsChanged";
  readonly agents: readonly AgentInfo[];
}

export type StateAction = ChatAction | SessionAction | RootAction;

export interface ActionEnvelope {
  readonly channel: string;
  /** An action of a client that is refused is not of this type, and changes nothing. */
  readonly action: StateAction | { readonly type: string };
  readonly serverSeq: number;
  readonly origin?: { readonly clientId: string; readonly clientSeq: number };
  readonly rejectionReason?: string;
}

export interface Snapshot {
  readonly resource: string;
  readonly state: RootState | SessionState | ChatState;
  readonly fromSeq: number;
}
