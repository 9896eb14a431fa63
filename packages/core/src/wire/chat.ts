/** A session as a chat: its messages as the AI SDK has them, and the frames of the stream that follows it. */

/** A part of a message, as the type `UIMessage` of the package `ai` has it. */
export interface UIPart {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** The end of an answer that is not complete. */
export interface ChatMetadata {
  readonly status: "failed" | "cancelled" | "interrupted" | "timed_out";
  /** Words for people about an answer that failed. */
  readonly errorText?: string;
}

/** A message as `useChat` has it: the type `UIMessage<ChatMetadata>` of the package `ai`. */
export interface ChatMessage {
  readonly id: string;
  readonly role: "system" | "user" | "assistant";
  /** Only an answer that ended before it was complete has this field, if no further attempt follows. */
  readonly metadata?: ChatMetadata;
  readonly parts: readonly UIPart[];
}

/** A change of the parts of a message. The fields apply in this order. */
export interface ChatPartsChange {
  /** The number of parts that stay. */
  readonly length?: number;
  /** Parts that are new or changed, each with its place. */
  readonly parts?: readonly (readonly [place: number, part: UIPart])[];
  /** More text of the last part. */
  readonly delta?: string;
}

/** The first frame of each connection is a `chat`; those that follow change it. */
export type ChatFrame =
  | {
      readonly type: "chat";
      /** The newest messages, and every answer that is not complete. */
      readonly messages: readonly ChatMessage[];
      /** The ids of the answers that are not complete. */
      readonly open: readonly string[];
      /**
       * Those of them whose run has not begun, because an earlier answer is not complete or no worker is free; left out
       * if there is none.
       */
      readonly waiting?: readonly string[];
    }
  | {
      readonly type: "message";
      readonly message: ChatMessage;
      readonly isOpen: boolean;
      readonly isWaiting?: true;
    }
  /** The run of an answer that waited has begun. */
  | { readonly type: "begin"; readonly id: string }
  | ({ readonly type: "change"; readonly id: string } & ChatPartsChange)
  /** The answer has ended; with `metadata` if it is not complete. */
  | { readonly type: "end"; readonly id: string; readonly metadata?: ChatMetadata };
