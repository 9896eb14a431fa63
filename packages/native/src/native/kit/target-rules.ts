/** The limits of an agent, and of the model that it uses. Facts from docs/formats. */
export interface TargetRules {
  /** Characters of the name of a tool: the stricter limit of the vendors' APIs that the agent uses. */
  readonly maxToolNameChars: number;
  /**
   * The id of another call that the agent would confuse with this one if both are in a session; otherwise the id
   * itself.
   */
  readonly takenForCopyOf: (callId: string) => string;
  /** Results that failed may hold images. */
  readonly imagesInErrors: boolean;
  /** `false`: the agent does not send images of results to its model, so they follow in a message of the user. */
  readonly imagesInResults?: false;
  readonly imageUrls: boolean;
  /**
   * The API behind the agent refuses a request with a picture of another type, and with it every turn that follows. pi
   * and opencode can use any vendor's model, so they get the types that most vendors accept. (The vendors'
   * documentation.)
   */
  readonly imageTypes: readonly string[];
  /** `all`; `documents`: PDF and plain text; `none`. */
  readonly files: "all" | "documents" | "none";
  /** Files that are taken keep their names. */
  readonly fileNames: boolean;
  /** A text of the user that begins like this is not sent. */
  readonly droppedStart: RegExp | null;
  /** A result holds one text: several are joined. */
  readonly oneTextInResults: boolean;
  /**
   * True if an answer of another agent keeps the name of its model. Without the name, pi and opencode treat the answer
   * as one of their own model, and do not turn its thinking into text.
   */
  readonly namesModel: boolean;
  /** The vendor whose signatures the model of the agent accepts; other signatures are not sent. */
  readonly vendor: string | null;
  /** The kind of its own calls whose input is text that need not be JSON, as its reader keeps it in `native`. */
  readonly textCall: string | null;
}

export const MOST_IMAGE_TYPES: readonly string[] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/** Most agents distinguish all ids. */
export function itself(callId: string): string {
  return callId;
}
