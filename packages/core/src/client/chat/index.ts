/**
 * A session as a page shows it: its messages as a list that changes while the answers are written, and the ways to send
 * a message, to stop an answer, and to answer the questions of agents.
 *
 * Promises: a message is sent once, however often it is tried; after a lost connection, a reload or a killed server the
 * list is what the log has; memory is bounded.
 * Does not know: how a page draws messages, who the person is.
 */

export type { ChatListMessage, ChatQuestion } from "./message-list.ts";
export {
  type OpenChatOptions,
  type OpenedChat,
  openChat,
  type QuestionAnswer,
} from "./open-chat.ts";
