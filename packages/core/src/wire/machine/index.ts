/**
 * The sessions of a machine as the server shows them below `/v1/machine/`: requests, answers and events.
 *
 * Promises: pure; types, and the few functions that make paths, so that a page loads nothing else with them.
 * Does not know: where sessions are stored, how they are read, how they are rendered.
 */

export type {
  EmptyTrashAnswer,
  ForkAnswer,
  ForkRequest,
  HandOffAnswer,
  HandOffPreview,
  HandOffRequest,
  RenameRequest,
  RepairAnswer,
  ResumeAnswer,
  ResumeOffer,
  TerminalAnswer,
  TrashAnswer,
} from "./actions.ts";
export type { BringBackAnswer, DueRow, HiddenRow, SessionsAtRisk } from "./at-risk.ts";
export type { FileBlameAnswer } from "./blame.ts";
export type { Branch, SessionBranches } from "./branches.ts";
export type { ChangedLine, ChangedPath, ChangesAnswer, FileChange, FileChanges } from "./changes.ts";
export {
  type AnswerCall,
  type AnswerRequest,
  type CancelRequest,
  CHAT_LIMITS,
  type ChatAnswered,
  type ChatEvent,
  type ChatPage,
  type ChatQuestion,
  type ChatRun,
  type ChatState,
  type MachineChat,
  type PromptAnswer,
  type PromptPicture,
  type PromptPictures,
  type PromptRequest,
} from "./chat.ts";
export { type FoundMessage, type SessionSearchResult, searchableText } from "./find.ts";
export type { HealthRun, MachineHealth } from "./health.ts";
export type { HistoryView, HistoryWindow, TextCut, TextRest, WindowMessage } from "./history.ts";
export type {
  InboxEnd,
  InboxQuestion,
  InboxRights,
  InboxRun,
  InboxRunner,
  InboxSession,
  InboxState,
  MachineInbox,
  SeenRequest,
} from "./inbox.ts";
export {
  LIST_PARTS,
  LIST_SORTS,
  type ListPart,
  type ListQuery,
  type ListSort,
  type MachineSession,
  type RowFacts,
  type RowPlace,
  type SessionsChanged,
  type SessionsPage,
  type TextMatch,
} from "./list.ts";
export type { MarkRequest, SessionMarks } from "./marks.ts";
export {
  CHAT_MODES,
  type ChatMode,
  type FolderFiles,
  type FolderFilesQuery,
  type NewChatAgents,
  type NewChatRequest,
} from "./new-chat.ts";
export type { ModelPart, Outline, OutlineMark, OutlineTurn, TouchedFile, TurnPrint } from "./outline.ts";
export {
  exportPath,
  historyPath,
  imagePath,
  isTrashKey,
  MACHINE_ROOT,
  MIRROR_PATH,
  sessionPath,
  sessionsPath,
  trashKey,
} from "./paths.ts";
export {
  type PairAnswer,
  type PairRequest,
  PHONE_NAME_CHARS,
  type Phone,
  type PhoneRights,
  type PhoneService,
  type PhonesState,
} from "./phones.ts";
export { valueAt, withText } from "./places.ts";
export { type Preferences, THEMES, type Theme } from "./preferences.ts";
export {
  SAVED_ELEMENT,
  type SavedHistory,
  type SavedPage,
  type SavedSession,
  type SavedText,
} from "./saved-session.ts";
export type {
  ExportAllRequest,
  ExportedFile,
  ExportRequest,
  HistoryName,
  HistoryQuery,
  ImageBytes,
  ListFigures,
  MachineActions,
  MachineService,
  MirrorConnection,
} from "./service.ts";
export {
  type GrowthEvent,
  type KnownSession,
  type MachineProblem,
  ONLY_ANSWERS,
  ONLY_READS,
  type SessionHead,
  type SubagentHead,
} from "./session.ts";
export type { MachineUsage, UsageGroup, UsageTokens } from "./usage.ts";
